#include "heed/metrics/classification_scores.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using Labels = std::vector<std::vector<int32_t>>;

TEST(ClassificationScores, OfOneLabelEachAreThoseOfTheConfusionMatrix) {
  const Labels expected = {{0}, {0}, {1}, {2}}, given = {{0}, {1}, {1}, {1}};
  const ClassificationScores scores = score_classification(expected, given, 4);
  ASSERT_TRUE(scores.confusion);
  EXPECT_EQ(scores.texts, 4);
  EXPECT_EQ(scores.accuracy, 0.5);
  EXPECT_EQ(scores.micro_f1, 0.5);
  EXPECT_DOUBLE_EQ(scores.macro_f1, scores.confusion->macro_f1());
  EXPECT_EQ(scores.confusion->count(2, 1), 1);
  for (int64_t label = 0; label < 4; ++label)
    EXPECT_EQ(scores.labels[static_cast<size_t>(label)].f1(), scores.confusion->counts(label).f1());
}

// By hand: label 0 is right once, missed once; label 1 right once, wrong once; label 2 missed once.
TEST(ClassificationScores, OfSeveralLabelsCountEachDecision) {
  const Labels expected = {{0, 1}, {0}, {}, {2}}, given = {{1, 0}, {1}, {}, {}};
  const ClassificationScores scores = score_classification(expected, given, 3);
  EXPECT_FALSE(scores.confusion);
  EXPECT_EQ(scores.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(scores.macro_f1, (2.0 / 3 + 2.0 / 3 + 0) / 3);
  EXPECT_DOUBLE_EQ(scores.micro_f1, 4.0 / 7);
}

TEST(ClassificationScores, OfNothingAreZero) {
  const ClassificationScores scores = score_classification({}, {}, 2);
  EXPECT_EQ(scores.accuracy, 0);
  EXPECT_EQ(scores.macro_f1, 0);
  const Labels one = {{0}};
  EXPECT_EQ(testing::error_of([&] { score_classification(one, {}, 2); }),
            "classification: 1 texts but 0 were classified");
}

}  // namespace
}  // namespace heed
