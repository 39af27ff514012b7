#include "heed/metrics/metric.h"

#include <algorithm>
#include <functional>

#include "heed/base/error.h"

namespace heed {

Metric::Counts count_corpus(const Metric& metric, std::span<const std::string> hypotheses,
                            std::span<const std::string> references) {
  require(hypotheses.size() == references.size(), "metric: {} hypotheses but {} references",
          hypotheses.size(), references.size());
  require(!hypotheses.empty(), "metric: there is nothing to compare");
  Metric::Counts sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const std::string_view reference = references[i];
    add_counts(sum, metric.count(hypotheses[i], {&reference, 1}));
  }
  return sum;
}

double corpus_score(const Metric& metric, std::span<const std::string> hypotheses,
                    std::span<const std::string> references) {
  return metric.score(count_corpus(metric, hypotheses, references));
}

void add_counts(Metric::Counts& sum, const Metric::Counts& more) {
  sum.resize(more.size());
  std::ranges::transform(sum, more, sum.begin(), std::plus());
}

}  // namespace heed
