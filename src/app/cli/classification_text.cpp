#include "heed/app/cli/classification_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr size_t most_words = 5;  // of a plain line

// The numbers of the labels, the likeliest first.
std::vector<size_t> by_probability(const ClassifiedText& text, size_t most) {
  std::vector<size_t> order(text.probabilities.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater(),
                           [&](size_t label) { return text.probabilities[label]; });
  order.resize(std::min(order.size(), most));
  return order;
}

std::string weightiest(std::vector<WeightedWord> words) {
  std::ranges::stable_sort(words, std::greater(),
                           [](const WeightedWord& one) { return std::abs(one.weight); });
  words.resize(std::min(words.size(), most_words));
  std::string text;
  for (const WeightedWord& word : words)
    text += fmt::format("{}{}:{:.3f}", text.empty() ? "" : " ", word.word, word.weight);
  return text;
}

// A float as the shortest text that reads back as the same.
std::string number(float value) { return fmt::format("{}", value); }

std::string padded(const std::string& text, int width) {
  const int missing = width - display_width(text);
  return text + std::string(static_cast<size_t>(std::max(missing, 0)), ' ');
}

std::string figures(const ClassificationScores& scores) {
  return fmt::format(
      "texts     {:>7}\naccuracy  {:>7.4f}\nmacro F1  {:>7.4f}\nmicro F1  {:>7.4f}\n", scores.texts,
      scores.accuracy, scores.macro_f1, scores.micro_f1);
}

std::string table_of_confusion(const ConfusionMatrix& confusion, std::span<const std::string> shown,
                               int width) {
  std::string text = fmt::format("\n{}  given as 1, 2, …\n", padded("", width));
  const auto labels = static_cast<int64_t>(shown.size());
  text += padded("", width + 5);
  for (int64_t given = 0; given < labels; ++given) text += fmt::format("{:>6}", given + 1);
  text += '\n';
  for (int64_t label = 0; label < labels; ++label) {
    text += fmt::format("{:>3}  {}", label + 1, padded(shown[static_cast<size_t>(label)], width));
    for (int64_t given = 0; given < labels; ++given)
      text += fmt::format("{:>6}", confusion.count(label, given));
    text += '\n';
  }
  return text;
}

}  // namespace

std::string plain_line(const ClassifiedText& text, std::span<const std::string> labels, int top) {
  std::vector<size_t> shown(text.labels.begin(), text.labels.end());
  if (top > 0) shown = by_probability(text, static_cast<size_t>(top));
  std::string line;
  for (const size_t label : shown)
    line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t", printable(labels[label]),
                        text.probabilities[label]);
  if (!text.words.empty()) line += '\t' + weightiest(text.words);
  return line + '\n';
}

std::string json_line(const ClassifiedText& text, std::span<const std::string> labels, int top,
                      bool several) {
  const auto name = [&](size_t label) { return Json(labels[label]).dump(); };
  std::string line;
  if (several) {
    for (const int32_t label : text.labels)
      line += fmt::format("{}{}", line.empty() ? "" : ",", name(static_cast<size_t>(label)));
    line = fmt::format("{{\"labels\":[{}]", line);
  } else {
    const auto best = static_cast<size_t>(text.likeliest());
    line = fmt::format("{{\"label\":{},\"probability\":{}", name(best),
                       number(text.probabilities[best]));
  }
  std::string scores;
  for (const size_t label : by_probability(text, top > 0 ? static_cast<size_t>(top) : SIZE_MAX))
    scores += fmt::format("{}{{\"label\":{},\"probability\":{}}}", scores.empty() ? "" : ",",
                          name(label), number(text.probabilities[label]));
  line += fmt::format(",\"scores\":[{}]", scores);
  std::string words;
  for (const WeightedWord& word : text.words)
    words += fmt::format("{}{{\"word\":{},\"weight\":{}}}", words.empty() ? "" : ",",
                         Json(word.word).dump(), number(word.weight));
  if (!words.empty()) line += fmt::format(",\"words\":[{}]", words);
  return line + "}\n";
}

std::string plain_report(const ClassificationScores& scores, std::span<const std::string> labels) {
  std::vector<std::string> shown;
  int width = 5;
  for (const std::string& label : labels) {
    shown.push_back(shorten(printable(label), 24));
    width = std::max(width, display_width(shown.back()));
  }
  std::string text = figures(scores);
  text += fmt::format("\n     {}  {:>6}  {:>9}  {:>6}  {:>6}\n", padded("label", width), "texts",
                      "precision", "recall", "F1");
  for (size_t i = 0; i < shown.size(); ++i) {
    const LabelCounts& one = scores.labels[i];
    text += fmt::format("{:>3}  {}  {:>6}  {:>9.4f}  {:>6.4f}  {:>6.4f}\n", i + 1,
                        padded(shown[i], width), one.right + one.missed, one.precision(),
                        one.recall(), one.f1());
  }
  if (scores.confusion) text += table_of_confusion(*scores.confusion, shown, width);
  return text;
}

std::string json_report(const ClassificationScores& scores, std::span<const std::string> labels) {
  Json list = Json::array();
  for (size_t i = 0; i < labels.size(); ++i) {
    const LabelCounts& one = scores.labels[i];
    list.push_back(json_object<Json>({{"label", labels[i]},
                                      {"texts", one.right + one.missed},
                                      {"precision", one.precision()},
                                      {"recall", one.recall()},
                                      {"f1", one.f1()}}));
  }
  Json json = json_object<Json>({{"texts", scores.texts},
                                 {"accuracy", scores.accuracy},
                                 {"macro_f1", scores.macro_f1},
                                 {"micro_f1", scores.micro_f1},
                                 {"labels", list}});
  if (scores.confusion) {
    Json rows = Json::array();
    for (int64_t label = 0; label < scores.confusion->labels(); ++label) {
      Json row = Json::array();
      for (int64_t given = 0; given < scores.confusion->labels(); ++given)
        row.push_back(scores.confusion->count(label, given));
      rows.push_back(row);
    }
    json["confusion"] = rows;  // a row for each label, a column for each that was given
  }
  return json.dump(2) + "\n";
}

}  // namespace heed
