#include "heed/models/trained_lengths.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(TrainedLengths, KeepTheLargestOfAllPairs) {
  TrainedLengths lengths;
  EXPECT_FALSE(lengths.known());
  lengths.add(2, 32);
  lengths.add(100, 50);
  EXPECT_EQ(lengths, (TrainedLengths{100, 50, 16}));
  lengths.add(TrainedLengths{90, 60, 17});
  EXPECT_EQ(lengths, (TrainedLengths{100, 60, 17}));
}

TEST(TrainedLengths, LeaveRoomForWhatTheCorpusShowed) {
  const TrainedLengths letters{2, 32, 16};
  EXPECT_GE(letters.longest_translation(2), 32);
  const TrainedLengths sentences{100, 120, 3};
  EXPECT_EQ(sentences.longest_translation(10), 45 + 10);    // by the ratio
  EXPECT_EQ(sentences.longest_translation(100), 180 + 10);  // by the longest
  EXPECT_EQ(sentences.longest_translation(200), 360 + 10);  // in proportion beyond the longest
}

TEST(TrainedLengths, AreThoseOfCTranslate2WhereNobodyKnows) {
  EXPECT_EQ(TrainedLengths().longest_translation(3), 256);
  EXPECT_EQ(TrainedLengths().longest_translation(200), 610);
  EXPECT_EQ(TrainedLengths().longest_line(), 256);
}

TEST(TrainedLengths, LetLinesBeALittleLongerThanTheCorpus) {
  EXPECT_EQ((TrainedLengths{400, 400, 1}).longest_line(), 500);
  EXPECT_EQ((TrainedLengths{3, 3, 1}).longest_line(), 64);
}

}  // namespace
}  // namespace heed
