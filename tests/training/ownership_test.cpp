#include "heed/training/ownership.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/training/flat_blocks.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using heed::testing::run_ranks;
using heed::testing::ThreadCommunicator;
using Numbers = std::vector<float>;

constexpr int64_t sizes[] = {16, block_size, 65 * block_size - 1, 300 * block_size + 48};

Numbers counted(int64_t size) {
  Numbers numbers(static_cast<size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  return numbers;
}

TEST(Ownership, EveryNumberHasOneOwner) {
  for (const int64_t size : sizes)
    for (const int ranks : {1, 2, 3, 8, 100}) {
      std::vector<int> owners(static_cast<size_t>(size));
      for (int rank = 0; rank < ranks; ++rank) {
        const Ownership ownership(size, rank, ranks);
        int64_t stored = 0;
        for (const Ownership::Block& block : ownership.blocks()) {
          EXPECT_EQ(block.numbers.begin, block.index * block_size);
          EXPECT_EQ(block.stored.begin, stored);
          EXPECT_EQ(block.stored.size(), block.numbers.size());
          stored = block.stored.end;
          for (int64_t i = block.numbers.begin; i < block.numbers.end; ++i)
            ++owners[static_cast<size_t>(i)];
        }
        EXPECT_EQ(stored, ownership.owned());
      }
      EXPECT_EQ(owners, std::vector<int>(owners.size(), 1)) << size << " on " << ranks;
    }
}

TEST(Ownership, PartsOfAStripeFollowEachOther) {
  const Ownership ownership(300 * block_size + 48, 1, 3);
  int64_t next = 0;
  for (int64_t stripe = 0; stripe < ownership.stripes(); ++stripe) {
    EXPECT_EQ(ownership.stripe(stripe).begin, next);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(ownership.part(stripe, rank).begin, next);
      next = ownership.part(stripe, rank).end;
    }
    EXPECT_EQ(ownership.stored(stripe).size(), ownership.part(stripe, 1).size());
    EXPECT_EQ(ownership.stripe(stripe).end, next);
    EXPECT_EQ(ownership.stripe_with(next - 1), stripe);
  }
  EXPECT_EQ(next, ownership.numbers());
}

TEST(Ownership, IsSharedFairly) {
  for (const int ranks : {2, 4, 7, 64}) {
    const int64_t size = 4000 * block_size;
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_NEAR(static_cast<double>(Ownership(size, rank, ranks).owned()) * ranks / size, 1, 0.05)
          << rank << " of " << ranks;
  }
}

TEST(Ownership, WhatIsScatteredCanBeGathered) {
  for (const int64_t size : sizes)
    for (const int ranks : {1, 2, 5}) {
      const Numbers whole = counted(size);
      run_ranks(ranks, [&](ThreadCommunicator& communicator) {
        const Ownership ownership(size, communicator);
        Numbers owned(static_cast<size_t>(ownership.owned())), taken = owned;
        ownership.scatter(communicator, communicator.is_first() ? whole : Numbers(), owned);
        ownership.take(whole, taken);
        EXPECT_EQ(owned, taken);
        Numbers again(whole.size());
        ownership.put_back(owned, again);
        ownership.gather(communicator, again);
        EXPECT_TRUE(again == whole);
      });
    }
}

}  // namespace
}  // namespace heed
