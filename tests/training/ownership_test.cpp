#include "heed/training/ownership.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

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

TEST(Ownership, DealsStretchesToTheirOwners) {
  const int64_t size = 200 * block_size;
  const std::vector<Range> stretches = {
      {5, 9}, {block_size - 3, 40 * block_size}, {130 * block_size, 130 * block_size + 1}};
  for (const int ranks : {1, 2, 3}) {
    std::vector<int> owners(static_cast<size_t>(size));
    const Ownership ownership(size, 0, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const Ownership theirs(size, rank, ranks);
      int64_t last = 0;
      for (const Range& part : ownership.parts_within(stretches, rank)) {
        EXPECT_GE(part.begin, last);
        EXPECT_GT(part.end, part.begin);
        last = part.end;
        for (int64_t i = part.begin; i < part.end; ++i) ++owners[static_cast<size_t>(i)];
        EXPECT_TRUE(std::ranges::any_of(theirs.blocks(), [&](const Ownership::Block& block) {
          return part.begin >= block.numbers.begin && part.begin < block.numbers.end;
        }));
      }
    }
    for (const Range& stretch : stretches)
      for (int64_t i = stretch.begin; i < stretch.end; ++i)
        EXPECT_EQ(std::exchange(owners[static_cast<size_t>(i)], 0), 1);
    EXPECT_EQ(owners, std::vector<int>(owners.size()));
  }
}

TEST(Ownership, StripesOfTablesAloneAreUsedLast) {
  const Ownership ownership(64 * 5 * block_size, 0, 2);
  ASSERT_EQ(ownership.stripes(), 5);
  using Order = std::vector<int64_t>;
  EXPECT_EQ(in_order_of_use(ownership, {}), (Order{0, 1, 2, 3, 4}));
  const int64_t stripe = 64 * block_size;
  const std::vector<Range> tables = {{0, 2 * stripe + 1}, {3 * stripe, 4 * stripe}};
  EXPECT_EQ(in_order_of_use(ownership, tables), (Order{2, 4, 0, 1, 3}));
}

}  // namespace
}  // namespace heed
