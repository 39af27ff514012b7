#include "heed/metrics/metric.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/metrics/accuracy.h"

namespace heed {
namespace {

using testing::error_of;

TEST(Metric, CountsAddUp) {
  Metric::Counts sum;
  add_counts(sum, {1, 2, 3});
  add_counts(sum, {10, 20, 30});
  EXPECT_EQ(sum, (Metric::Counts{11, 22, 33}));
}

TEST(Metric, SaysWhatIsWrong) {
  const std::vector<std::string> one = {"a"}, two = {"a", "b"};
  EXPECT_EQ(error_of([&] { corpus_score(Accuracy(), one, two); }),
            "metric: 1 hypotheses but 2 references");
  EXPECT_EQ(error_of([&] { corpus_score(Accuracy(), {}, {}); }),
            "metric: there is nothing to compare");
  EXPECT_EQ(error_of([&] { Accuracy().count("a", {}); }), "accuracy: there is no reference");
}

}  // namespace
}  // namespace heed
