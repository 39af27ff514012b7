#include "heed/metrics/accuracy.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Accuracy, CountsWhatIsEqual) {
  const std::vector<std::string> hypotheses = {"1979-05-03", "1979-05-04 ", "", "A"};
  const std::vector<std::string> references = {"1979-05-03", "1979-05-04\r", "", "a"};
  const Accuracy metric;
  const Metric::Counts counts = count_corpus(metric, hypotheses, references);
  EXPECT_EQ(metric.score(counts), 75);
  EXPECT_EQ(metric.text(counts), "accuracy = 75.00 (3 of 4)");
  EXPECT_EQ(corpus_score(Accuracy(true), hypotheses, references), 100);
}

TEST(Accuracy, AnyReferenceWillDo) {
  const std::vector<std::string_view> references = {"one", "two"};
  EXPECT_EQ(Accuracy().count("two", references), (Metric::Counts{1, 1}));
  EXPECT_EQ(Accuracy().count("three", references), (Metric::Counts{0, 1}));
  EXPECT_EQ(Accuracy().signature(2), "nrefs:2|case:mixed");
}

}  // namespace
}  // namespace heed
