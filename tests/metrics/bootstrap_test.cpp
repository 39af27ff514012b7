#include "heed/metrics/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
#include "heed/metrics/make_metric.h"

namespace heed {
namespace {

// Accuracy: a sentence is right or wrong.
std::vector<Metric::Counts> answers(const Metric& metric, int right, int wrong) {
  std::vector<Metric::Counts> counts;
  const std::vector<std::string_view> reference = {"a"};
  for (int i = 0; i < right; ++i) counts.push_back(metric.count("a", reference));
  for (int i = 0; i < wrong; ++i) counts.push_back(metric.count("b", reference));
  return counts;
}

TEST(Bootstrap, TellsRealDifferencesFromLuck) {
  const auto metric = make_metric(MetricKind::accuracy);
  const auto middling = answers(*metric, 100, 100), good = answers(*metric, 150, 50),
             hardly_better = answers(*metric, 101, 99);
  const Comparison real = compare_systems(*metric, middling, good);
  EXPECT_LT(real.p_value, 0.01);
  EXPECT_NEAR(real.baseline.mean, 50, 1);
  EXPECT_NEAR(real.system.mean, 75, 1);
  // 1.96 standard deviations of the mean of 200 coins.
  EXPECT_NEAR(real.baseline.margin, 196 * 0.5 / std::sqrt(200.0), 0.7);
  // The systems differ in one sentence, which is drawn once on average, often not at all and often
  // more than once.
  EXPECT_GT(compare_systems(*metric, middling, hardly_better).p_value, 0.2);
  EXPECT_EQ(compare_systems(*metric, middling, middling).p_value, 1.0);
}

TEST(Bootstrap, DependsOnTheSeedOnly) {
  const auto metric = make_metric(MetricKind::accuracy);
  const auto a = answers(*metric, 20, 30), b = answers(*metric, 25, 25);
  const Comparison once = compare_systems(*metric, a, b), again = compare_systems(*metric, a, b);
  EXPECT_EQ(once.baseline.mean, again.baseline.mean);
  EXPECT_EQ(once.p_value, again.p_value);
  EXPECT_NE(once.baseline.mean, compare_systems(*metric, a, b, {.seed = 7}).baseline.mean);
}

TEST(Bootstrap, RefusesWhatDoesNotFit) {
  const auto metric = make_metric(MetricKind::accuracy);
  const auto a = answers(*metric, 2, 0), b = answers(*metric, 2, 1);
  EXPECT_EQ(testing::error_of([&] { (void)compare_systems(*metric, a, b); }),
            "bootstrap: 2 and 3 sentences");
  EXPECT_EQ(testing::error_of([&] { (void)compare_systems(*metric, a, a, {.samples = 0}); }),
            "bootstrap: 0 samples but at least 1 was expected");
}

}  // namespace
}  // namespace heed
