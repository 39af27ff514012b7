#include "heed/app/cli/translation_text.h"
#include "heed/base/json.h"

#include <fmt/format.h>

#include <algorithm>

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

std::string weights_text(const WordAlignment& alignment) {
  std::string text;
  if (!alignment.weights.present()) return text;
  const auto weights = alignment.weights.matrix<float>();
  for (int64_t target = 0; target < weights.rows; ++target) {
    if (target > 0) text += ' ';
    for (int64_t source = 0; source < weights.columns; ++source)
      text += fmt::format("{}{:.4g}", source == 0 ? "" : ",", weights(target, source));
  }
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
  if (format == AlignmentFormat::soft) {
    json["alignment"] = Json::array();
    const Tensor& weights = translation.alignment.weights;
    for (int64_t row = 0; weights.present() && row < weights.shape()[0]; ++row) {
      const Tensor words = weights.slice(row, row + 1);
      json["alignment"].push_back(words.span<float>());
    }
  }
  return json;
}

}  // namespace

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
