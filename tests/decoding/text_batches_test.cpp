#include "heed/decoding/text_batches.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Batches = std::vector<std::pair<size_t, size_t>>;

TEST(TextBatches, HoldEveryTextOnceAndInOrder) {
  const std::vector<size_t> lengths = {300, 300, 10, 600, 2, 2, 40};
  for (const int workers : {1, 2, 7}) {
    size_t next = 0;
    for (const auto& [begin, end] : batches_of_texts(lengths, workers)) {
      EXPECT_EQ(begin, next);
      EXPECT_LT(begin, end);
      next = end;
    }
    EXPECT_EQ(next, lengths.size());
  }
  EXPECT_EQ(batches_of_texts({}, 2), Batches{});
}

TEST(TextBatches, AreNotLargerThanIsGoodForTheCacheAndKeepAllWorkersBusy) {
  const std::vector<size_t> many(1000, 10), few(40, 10);
  for (const auto& [begin, end] : batches_of_texts(many, 1)) EXPECT_LE(10 * (end - begin), 512u);
  EXPECT_GE(batches_of_texts(few, 4).size(), 4u);
  EXPECT_EQ(batches_of_texts(std::vector<size_t>{5000}, 1), (Batches{{0, 1}}));
}

}  // namespace
}  // namespace heed
