// The heads of a model: which attention they belong to, and how they are called.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace heed {

// The attentions of an encoder–decoder: of the source to itself, of the target to itself, and of
// the target to the source. An encoder alone, or a decoder alone, has its own.
enum class AttentionPart { encoder, decoder, cross };

inline constexpr std::array all_attention_parts = {AttentionPart::encoder, AttentionPart::decoder,
                                                   AttentionPart::cross};

std::string_view name_of(AttentionPart part);

// One head, written "cross:2:3". Layers and heads are counted from 1.
struct HeadName {
  AttentionPart part = AttentionPart::cross;
  int64_t layer = 1;
  int64_t head = 1;

  bool operator==(const HeadName&) const = default;
  auto operator<=>(const HeadName& other) const {
    return std::tie(part, layer, head) <=> std::tie(other.part, other.layer, other.head);
  }
};

std::string name_of(const HeadName& head);
// An Error says what a name looks like.
HeadName head_named(std::string_view name);

// What a head's output is multiplied by: 0 switches it off.
struct HeadGate {
  HeadName head;
  double gate = 0.0;
};

// How many heads a model has. All its layers have the same number.
struct HeadCounts {
  int64_t encoder_layers = 0;
  int64_t decoder_layers = 0;
  int64_t cross_layers = 0;
  int64_t heads = 0;  // of a layer

  int64_t layers(AttentionPart part) const;
  bool is_encoder_alone() const { return encoder_layers > 0 && decoder_layers + cross_layers == 0; }
  bool is_decoder_alone() const { return decoder_layers > 0 && encoder_layers + cross_layers == 0; }
  bool operator==(const HeadCounts&) const = default;
};

// Part after part, layer after layer.
std::vector<HeadName> all_heads(const HeadCounts& counts);

// The gates of one layer's heads, for those of its heads that are named; none if none is. Others
// keep the gate that they have in `before`, or have 1. An Error names a head that the model does
// not have.
std::vector<double> gates_of_layer(AttentionPart part, int64_t layer,
                                   std::span<const HeadGate> gates, const HeadCounts& counts,
                                   std::span<const double> before = {});

}  // namespace heed
