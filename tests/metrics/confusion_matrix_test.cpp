#include "heed/metrics/confusion_matrix.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

// Five texts: 0 twice right, once taken for 1; 1 right; 2 taken for 0.
ConfusionMatrix example(int64_t labels = 3) {
  ConfusionMatrix matrix(labels);
  matrix.add(0, 0);
  matrix.add(0, 0);
  matrix.add(0, 1);
  matrix.add(1, 1);
  matrix.add(2, 0);
  return matrix;
}

TEST(ConfusionMatrix, CountsWhatWasTakenForWhat) {
  const ConfusionMatrix matrix = example();
  EXPECT_EQ(matrix.texts(), 5);
  EXPECT_EQ(matrix.count(0, 0), 2);
  EXPECT_EQ(matrix.count(0, 1), 1);
  EXPECT_EQ(matrix.count(1, 0), 0);
  EXPECT_EQ(matrix.count(2, 0), 1);
}

TEST(ConfusionMatrix, GivesAccuracyAndF1) {
  const ConfusionMatrix matrix = example();
  EXPECT_DOUBLE_EQ(matrix.accuracy(), 0.6);
  EXPECT_DOUBLE_EQ(matrix.counts(0).precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(matrix.counts(0).recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(matrix.counts(0).f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(matrix.counts(1).precision(), 0.5);
  EXPECT_DOUBLE_EQ(matrix.counts(1).recall(), 1);
  EXPECT_DOUBLE_EQ(matrix.counts(1).f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(matrix.counts(2).f1(), 0);
  EXPECT_DOUBLE_EQ(matrix.macro_f1(), (2.0 / 3 + 2.0 / 3 + 0) / 3);
}

TEST(ConfusionMatrix, LabelsThatDoNotOccurDoNotCount) {
  EXPECT_DOUBLE_EQ(example(7).macro_f1(), example(3).macro_f1());
  EXPECT_EQ(example(7).counts(6).precision(), 0);
}

TEST(ConfusionMatrix, WithoutTextsEverythingIsZero) {
  const ConfusionMatrix matrix(2);
  EXPECT_EQ(matrix.accuracy(), 0);
  EXPECT_EQ(matrix.macro_f1(), 0);
}

TEST(ConfusionMatrix, RefusesWhatIsNoLabel) {
  ConfusionMatrix matrix(2);
  EXPECT_EQ(error_of([&] { matrix.add(2, 0); }),
            "confusion matrix: label 2 but 0 to 1 were expected");
  EXPECT_EQ(error_of([&] { matrix.add(0, -1); }),
            "confusion matrix: label -1 but 0 to 1 were expected");
  EXPECT_EQ(error_of([] { ConfusionMatrix(0); }),
            "confusion matrix: 0 labels but at least 1 was expected");
}

}  // namespace
}  // namespace heed
