#include "heed/metrics/classification_scores.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

namespace {

bool has(const std::vector<int32_t>& labels, int64_t label) {
  return std::ranges::find(labels, static_cast<int32_t>(label)) != labels.end();
}

void count_text(const std::vector<int32_t>& expected, const std::vector<int32_t>& given,
                std::vector<LabelCounts>& counts) {
  for (size_t label = 0; label < counts.size(); ++label) {
    const bool is = has(expected, static_cast<int64_t>(label)),
               was = has(given, static_cast<int64_t>(label));
    counts[label].right += is && was;
    counts[label].wrong += !is && was;
    counts[label].missed += is && !was;
  }
}

double macro_f1(const std::vector<LabelCounts>& counts) {
  double sum = 0;
  int64_t seen = 0;
  for (const LabelCounts& label : counts) {
    sum += label.f1();
    seen += label.right + label.wrong + label.missed > 0;
  }
  return seen == 0 ? 0 : sum / static_cast<double>(seen);
}

double micro_f1(const std::vector<LabelCounts>& counts) {
  LabelCounts all;
  for (const LabelCounts& label : counts) {
    all.right += label.right;
    all.wrong += label.wrong;
    all.missed += label.missed;
  }
  return all.f1();
}

}  // namespace

ClassificationScores score_classification(std::span<const std::vector<int32_t>> expected,
                                          std::span<const std::vector<int32_t>> given,
                                          int64_t labels) {
  require(expected.size() == given.size(), ErrorKind::usage,
          "classification: {} texts but {} were classified", expected.size(), given.size());
  ClassificationScores scores;
  scores.texts = static_cast<int64_t>(expected.size());
  scores.labels.resize(static_cast<size_t>(labels));
  scores.confusion.emplace(labels);
  int64_t right = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    count_text(expected[i], given[i], scores.labels);
    right += std::ranges::is_permutation(expected[i], given[i]);
    if (expected[i].size() != 1 || given[i].size() != 1) scores.confusion.reset();
    if (scores.confusion) scores.confusion->add(expected[i][0], given[i][0]);
  }
  scores.accuracy =
      expected.empty() ? 0 : static_cast<double>(right) / static_cast<double>(expected.size());
  scores.macro_f1 = macro_f1(scores.labels);
  scores.micro_f1 = micro_f1(scores.labels);
  return scores;
}

}  // namespace heed
