#include "heed/metrics/bootstrap.h"

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed {

namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

BootstrapScore summary_of(std::span<const double> scores) {
  const double mean = mean_of(scores);
  double squares = 0;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  return {mean, 1.96 * std::sqrt(squares / static_cast<double>(scores.size()))};
}

double score_of(const Metric& metric, std::span<const Metric::Counts> sentences,
                std::span<const size_t> chosen) {
  Metric::Counts sum;
  for (const size_t i : chosen) add_counts(sum, sentences[i]);
  return metric.score(sum);
}

}  // namespace

Comparison compare_systems(const Metric& metric, std::span<const Metric::Counts> baseline,
                           std::span<const Metric::Counts> system,
                           const BootstrapOptions& options) {
  require(baseline.size() == system.size() && !baseline.empty(), "bootstrap: {} and {} sentences",
          baseline.size(), system.size());
  require(options.samples >= 1, "bootstrap: {} samples but at least 1 was expected",
          options.samples);
  std::vector<size_t> chosen(baseline.size());
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  const double seen =
      std::abs(score_of(metric, system, chosen) - score_of(metric, baseline, chosen));
  Rng rng(options.seed);
  std::vector<double> baseline_scores, system_scores, differences;
  for (int sample = 0; sample < options.samples; ++sample) {
    for (size_t& sentence : chosen) sentence = static_cast<size_t>(rng.below(chosen.size()));
    baseline_scores.push_back(score_of(metric, baseline, chosen));
    system_scores.push_back(score_of(metric, system, chosen));
    differences.push_back(system_scores.back() - baseline_scores.back());
  }
  // The differences scatter around the observed one. Under the null hypothesis they would scatter
  // like this around 0.
  const double middle = mean_of(differences);
  int larger = 0;
  for (const double difference : differences) larger += std::abs(difference - middle) >= seen;
  return {summary_of(baseline_scores), summary_of(system_scores),
          static_cast<double>(larger + 1) / static_cast<double>(options.samples + 1)};
}

}  // namespace heed
