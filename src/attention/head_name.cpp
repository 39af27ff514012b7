#include "heed/attention/head_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

std::optional<AttentionPart> part_named(std::string_view name) {
  for (const AttentionPart part : all_attention_parts)
    if (name == name_of(part)) return part;
  return std::nullopt;
}

// A number from 1 on, and nothing else.
std::optional<int64_t> counted(std::string_view text) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

// What comes before the next colon, or all; it is taken off.
std::string_view take_field(std::string_view& text) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view field = text.substr(0, colon);
  text.remove_prefix(std::min(colon + 1, text.size()));
  return field;
}

void check(const HeadName& head, const HeadCounts& counts) {
  const int64_t layers = counts.layers(head.part);
  require(head.layer >= 1 && head.layer <= layers, ErrorKind::usage,
          "head {}: the model has {} layers of this attention", name_of(head), layers);
  require(head.head >= 1 && head.head <= counts.heads, ErrorKind::usage,
          "head {}: a layer of the model has {} heads", name_of(head), counts.heads);
}

}  // namespace

std::string_view name_of(AttentionPart part) {
  switch (part) {
    case AttentionPart::encoder:
      return "encoder";
    case AttentionPart::decoder:
      return "decoder";
    case AttentionPart::cross:
      return "cross";
  }
  __builtin_unreachable();
}

std::string name_of(const HeadName& head) {
  return fmt::format("{}:{}:{}", name_of(head.part), head.layer, head.head);
}

HeadName head_named(std::string_view name) {
  std::string_view rest = name;
  const std::optional<AttentionPart> part = part_named(take_field(rest));
  const std::optional<int64_t> layer = counted(take_field(rest)), head = counted(rest);
  require(part && layer && head, ErrorKind::usage,
          "head {}: expected PART:LAYER:HEAD such as cross:2:3, where the part is encoder, decoder "
          "or cross and layers and heads are counted from 1",
          Quoted{name});
  return {*part, *layer, *head};
}

int64_t HeadCounts::layers(AttentionPart part) const {
  switch (part) {
    case AttentionPart::encoder:
      return encoder_layers;
    case AttentionPart::decoder:
      return decoder_layers;
    case AttentionPart::cross:
      return cross_layers;
  }
  __builtin_unreachable();
}

std::vector<HeadName> all_heads(const HeadCounts& counts) {
  std::vector<HeadName> heads;
  for (const AttentionPart part : all_attention_parts)
    for (int64_t layer = 1; layer <= counts.layers(part); ++layer)
      for (int64_t head = 1; head <= counts.heads; ++head) heads.push_back({part, layer, head});
  return heads;
}

std::vector<double> gates_of_layer(AttentionPart part, int64_t layer,
                                   std::span<const HeadGate> gates, const HeadCounts& counts,
                                   std::span<const double> before) {
  std::vector<double> found(before.begin(), before.end());
  for (const HeadGate& gate : gates) {
    check(gate.head, counts);
    if (gate.head.part != part || gate.head.layer != layer) continue;
    if (found.empty()) found.assign(static_cast<size_t>(counts.heads), 1.0);
    found[static_cast<size_t>(gate.head.head - 1)] = gate.gate;
  }
  return found;
}

}  // namespace heed
