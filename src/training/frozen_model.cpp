#include "heed/training/frozen_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/share.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, char separator) {
  Words words;
  for (size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(separator, begin);
    words.emplace_back(text.substr(begin, end == text.npos ? end : end - begin));
  }
  return words;
}

std::optional<int64_t> number_in(const std::string& word) {
  const bool digits = !word.empty() && word.size() < 10 &&
                      word.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::optional(std::stoll(word)) : std::nullopt;
}

bool is_embedding(const std::string& word) {
  return word == "shared" || word == "embed_tokens" || word == "embed_positions" ||
         word.find("embedding") != std::string::npos;
}

// The number after "layers", or after "layer" as in BERT.
std::optional<int64_t> layer_in(const Words& name) {
  for (size_t i = 0; i + 1 < name.size(); ++i)
    if (name[i] == "layers" || name[i] == "layer") return number_in(name[i + 1]);
  return {};
}

struct Part {
  Words words;
  std::optional<Range> layers = {};  // the last included

  bool holds(const Words& name) const {
    const bool embeddings = words == Words{"embeddings"} && std::ranges::any_of(name, is_embedding);
    if (!embeddings &&
        std::search(name.begin(), name.end(), words.begin(), words.end()) == name.end())
      return false;
    if (!layers) return true;
    const std::optional<int64_t> layer = layer_in(name);
    return layer && *layer >= layers->begin && *layer <= layers->end;
  }
};

// Nothing if it is not written like a part.
std::optional<Part> part_in(const std::string& text) {
  const size_t colon = text.find(':');
  Part part = {split(text.substr(0, colon), '.')};
  if (colon == text.npos) return part;
  const Words ends = split(text.substr(colon + 1), '-');
  const std::optional<int64_t> first = number_in(ends.front()), last = number_in(ends.back());
  if (ends.size() > 2 || !first || !last || *first > *last) return {};
  part.layers = Range{*first, *last};
  return part;
}

// "decoder:0-5, embeddings, fc1": every word of a name that says something by itself.
std::string parts_of(std::span<const Words> names) {
  std::map<std::string, std::optional<int64_t>> parts;  // with the last layer
  for (const Words& name : names)
    for (size_t i = 0; i < name.size(); ++i) {
      const std::string& word = name[i];
      if (is_embedding(word)) parts.emplace("embeddings", std::nullopt);
      const bool says_nothing = word == "model" || word == "weight" || word == "bias";
      if (number_in(word) || says_nothing || word.starts_with("layer")) continue;
      const bool of_layers = i + 2 < name.size() && name[i + 1].starts_with("layer");
      std::optional<int64_t>& last = parts[word];
      if (const std::optional<int64_t> layer = layer_in(name); of_layers && layer)
        last = std::max(last.value_or(0), *layer);
    }
  std::string list;
  for (const auto& [word, last] : parts)
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", word,
                        last ? fmt::format(":0-{}", *last) : "");
  return list;
}

}  // namespace

std::set<std::string> names_in_parts(std::span<const std::string> names,
                                     std::span<const std::string> parts) {
  std::vector<Words> split_names;
  for (const std::string& name : names) split_names.push_back(split(name, '.'));
  Words single;
  for (const std::string& text : parts) std::ranges::copy(split(text, ','), back_inserter(single));
  std::set<std::string> found;
  for (const std::string& text : single) {
    const std::optional<Part> part = part_in(text);
    bool any = false;
    for (size_t i = 0; part && i < names.size(); ++i)
      if (part->holds(split_names[i])) {
        found.insert(names[i]);
        any = true;
      }
    require(any, ErrorKind::usage, "--freeze: {} is no part of the model; it has {}", quote(text),
            parts_of(split_names));
  }
  return found;
}

FrozenModel::FrozenModel(PredictingModel& whole, std::span<const std::string> parts)
    : LearningPart(whole) {
  const std::vector<Parameter> parameters = parameters_of(whole);
  Words names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  frozen_ = names_in_parts(names, parts);
  require(frozen_.size() < names.size(), ErrorKind::usage,
          "--freeze: all parameters are frozen, so there is nothing to learn");
  for (const Parameter& parameter : parameters)
    if (frozen_.contains(parameter.name)) add_frozen(parameter.value);
}

void FrozenModel::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  whole().visit_parameters({}, [&](const std::string& name, Tensor& value) {
    if (!frozen_.contains(name)) visit(dotted(prefix, name), value);
  });
}

}  // namespace heed
