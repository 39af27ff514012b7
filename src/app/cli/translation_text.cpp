#include "heed/app/cli/translation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "heed/base/json.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

// A translation is one line.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string links_text(const WordAlignment& alignment) {
  std::string text;
  for (const auto& [source, target] : alignment.links())
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", source, target);
  return text;
}

// Calls row(weights) for each target word, with its weights over all source words.
template <typename Row>
void for_each_target_word(const WordAlignment& alignment, Row row) {
  std::vector<float> weights(static_cast<size_t>(alignment.source_words()));
  int64_t before = 0;
  for (const Tensor& part : alignment.parts) {
    const int64_t sources = part.shape()[1];
    for (int64_t target = 0; target < part.shape()[0]; ++target) {
      std::copy_n(part.matrix<float>().row(target), sources, weights.begin() + before);
      row(std::span<const float>(weights));
    }
    std::fill_n(weights.begin() + before, sources, 0.0f);
    before += sources;
  }
}

std::string weights_text(const WordAlignment& alignment) {
  std::string text;
  if (!has_few_weights(alignment)) return text;
  for_each_target_word(alignment, [&](std::span<const float> weights) {
    if (!text.empty()) text += ' ';
    fmt::format_to(std::back_inserter(text), "{:.4g}", fmt::join(weights, ","));
  });
  return text;
}

std::string alignment_text(const WordAlignment& alignment, AlignmentFormat format) {
  return format == AlignmentFormat::pharaoh ? links_text(alignment) : weights_text(alignment);
}

Json json_of(const Translation& translation, AlignmentFormat format) {
  const Hypothesis& hypothesis = translation.hypothesis;
  Json json = json_object<Json>({{"text", one_line(translation.text)},
                                 {"score", hypothesis.score},
                                 {"log-probability", hypothesis.log_probability}});
  if (hypothesis.cut) json["cut"] = true;
  if (format == AlignmentFormat::pharaoh) {
    json["alignment"] = Json::array();
    for (const auto& [source, target] : translation.alignment.links())
      json["alignment"].push_back(std::array{source, target});
  }
  if (format == AlignmentFormat::soft && has_few_weights(translation.alignment)) {
    json["alignment"] = Json::array();
    for_each_target_word(translation.alignment, [&](std::span<const float> weights) {
      json["alignment"].push_back(weights);
    });
  }
  return json;
}

}  // namespace

bool has_few_weights(const WordAlignment& alignment) {
  constexpr int64_t many = int64_t{1} << 22;
  return alignment.target_words() <= many / std::max<int64_t>(1, alignment.source_words());
}

std::string translation_text(std::span<const Translation> ranked, int64_t number,
                             std::string_view source, const TranslationFormat& format) {
  if (format.json) {
    Json line = json_object<Json>({{"source", source}, {"translations", Json::array()}});
    for (const Translation& translation : ranked)
      line["translations"].push_back(json_of(translation, format.alignment));
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  static const Translation nothing;
  if (ranked.empty()) ranked = {&nothing, 1};
  std::string text;
  for (const Translation& translation : ranked.first(format.n_best ? ranked.size() : 1)) {
    if (!text.empty()) text += '\n';
    const double score = translation.hypothesis.score;
    if (format.n_best)
      text += fmt::format("{} ||| {} ||| {:.6g}", number, one_line(translation.text), score);
    else
      text += (format.scores ? fmt::format("{:.6g}\t", score) : "") + one_line(translation.text);
    if (format.alignment != AlignmentFormat::none)
      text += " ||| " + alignment_text(translation.alignment, format.alignment);
  }
  return text;
}

}  // namespace heed
