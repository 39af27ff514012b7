#include "heed/training/gradient_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/random.h"
#include "heed/training/flat_blocks.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using heed::testing::run_ranks;
using heed::testing::ThreadCommunicator;
using Numbers = std::vector<float>;

// Tells in any order, for a part of each gradient, that it is settled; nothing for some.
void settle_some(GradientSum& sum, int64_t numbers, Rng& rng) {
  std::vector<Range> parts;
  for (int64_t shard = 0; shard < sum.shards().size(); ++shard)
    for (int64_t begin = 0; begin < numbers;) {
      const int64_t size = 1 + static_cast<int64_t>(rng.below(30 * block_size));
      parts.push_back({begin, std::min(begin + size, numbers)});
      begin = parts.back().end;
    }
  if (rng.below(3) == 0) parts.resize(parts.size() / 2);
  while (!parts.empty()) {
    std::swap(parts[rng.below(parts.size())], parts.back());
    sum.settle(parts.back());
    parts.pop_back();
  }
}

// Of sizes so different that every change of the order shows.
Tensor gradient_of(int shard, int64_t numbers) {
  Tensor gradient = Tensor::uninitialised({numbers});
  Rng rng(static_cast<uint64_t>(shard) + 1);
  for (float& number : gradient.span<float>())
    number = static_cast<float>((rng.uniform() - 0.5) * std::exp(10 * rng.uniform()));
  return gradient;
}

// Rows here and there, others for each shard; none of some shards.
std::vector<Range> stretches_of(int shard, int64_t numbers) {
  std::vector<Range> stretches;
  if (shard % 4 == 3) return stretches;
  Rng rng(static_cast<uint64_t>(shard) + 100);
  for (int64_t begin = 0; begin < numbers; begin += 7 * (1 + static_cast<int64_t>(rng.below(90))))
    if (rng.below(3) == 0) stretches.push_back({begin, std::min(begin + 7, numbers)});
  return stretches;
}

void fill_sparse(SparseGradient& gradient, int shard) {
  Rng rng(static_cast<uint64_t>(shard) + 200);
  for (float& number : gradient.values())
    number = static_cast<float>((rng.uniform() - 0.5) * std::exp(10 * rng.uniform()));
}

struct Sum {
  Numbers numbers;
  double square = 0;
  size_t most_sent = 0;  // by a rank, in bytes
};

enum class Sparse { with, without };

Sum sum_on(int ranks, int shards, int64_t numbers,
           GradientPrecision precision = GradientPrecision::float32,
           Sparse sparse = Sparse::without) {
  Sum result;
  result.numbers.resize(static_cast<size_t>(numbers));
  std::vector<double> squares(static_cast<size_t>(ranks));
  std::vector<size_t> sent(static_cast<size_t>(ranks));
  run_ranks(ranks, [&](ThreadCommunicator& communicator) {
    Workers workers(1 + communicator.rank() % 2);
    const std::vector<Range> tables = {{0, numbers / 2}};
    GradientSum sum(numbers, shards, workers, communicator, precision,
                    sparse == Sparse::with ? std::span(tables) : std::span<const Range>());
    const auto rank = static_cast<size_t>(communicator.rank());
    const Ownership& ownership = sum.ownership();
    Rng rng(rank + 1);
    for (int again = 0; again < 2; ++again) {
      std::vector<Tensor> gradients;
      for (int64_t shard = sum.shards().begin; shard < sum.shards().end; ++shard)
        gradients.push_back(gradient_of(static_cast<int>(shard), numbers));
      std::vector<SparseGradient> rows(sparse == Sparse::with ? static_cast<size_t>(shards) : 0);
      for (int shard = 0; shard < std::ssize(rows); ++shard) {
        const bool own = shard >= sum.shards().begin && shard < sum.shards().end;
        rows[static_cast<size_t>(shard)].begin(stretches_of(shard, numbers), own);
        if (own) fill_sparse(rows[static_cast<size_t>(shard)], shard);
      }
      sum.begin(gradients, rows);
      if (sum.wants_settled()) settle_some(sum, numbers, rng);
      squares[rank] = sum.add();
      for (const Ownership::Block& block : ownership.blocks())
        std::ranges::copy(sum.owned(block), result.numbers.begin() + block.numbers.begin);
    }
    sent[rank] = communicator.sent / 2;
  });
  for (const double square : squares) EXPECT_EQ(square, squares[0]);
  result.square = squares[0];
  result.most_sent = *std::ranges::max_element(sent);
  return result;
}

// The definition: pairs, then pairs of pairs, number by number; then what is sparse, in the order
// of the shards.
Numbers plain_sum(int shards, int64_t numbers, Sparse sparse = Sparse::without) {
  std::vector<Tensor> gradients;
  for (int shard = 0; shard < shards; ++shard) gradients.push_back(gradient_of(shard, numbers));
  for (int stride = 1; stride < shards; stride *= 2)
    for (int shard = 0; shard + stride < shards; shard += 2 * stride)
      for (size_t i = 0; i < static_cast<size_t>(numbers); ++i)
        gradients[static_cast<size_t>(shard)].span<float>()[i] +=
            gradients[static_cast<size_t>(shard + stride)].span<float>()[i];
  const std::span<float> sum = gradients[0].span<float>();
  for (int shard = 0; shard < shards && sparse == Sparse::with; ++shard) {
    SparseGradient gradient;
    gradient.begin(stretches_of(shard, numbers));
    fill_sparse(gradient, shard);
    size_t next = 0;
    for (const Range& stretch : gradient.stretches())
      for (int64_t i = stretch.begin; i < stretch.end; ++i)
        sum[static_cast<size_t>(i)] += gradient.values()[next++];
  }
  return {sum.begin(), sum.end()};
}

TEST(GradientSum, HasTheSameBitsOnAnyNumberOfRanks) {
  Rng rng(7);
  for (int shards = 1; shards <= 17; ++shards) {
    const int64_t numbers = 16 * (1 + static_cast<int64_t>(rng.below(4 * block_size / 16)));
    const Sum alone = sum_on(1, shards, numbers);
    EXPECT_TRUE(alone.numbers == plain_sum(shards, numbers)) << shards << " shards";
    EXPECT_EQ(alone.most_sent, 0u);
    for (int ranks = 2; ranks <= 9; ++ranks) {
      const Sum sum = sum_on(ranks, shards, numbers);
      EXPECT_TRUE(sum.numbers == alone.numbers)
          << shards << " shards on " << ranks << " ranks, " << numbers << " numbers";
      EXPECT_EQ(sum.square, alone.square);
    }
  }
}

// Several stripes, of which some leave early and others late.
TEST(GradientSum, HasTheSameBitsInStripes) {
  const int64_t numbers = 140 * block_size + 32;
  const Sum alone = sum_on(1, 5, numbers);
  EXPECT_TRUE(alone.numbers == plain_sum(5, numbers));
  for (const int ranks : {2, 3, 5}) {
    const Sum sum = sum_on(ranks, 5, numbers);
    EXPECT_TRUE(sum.numbers == alone.numbers) << ranks << " ranks";
    EXPECT_EQ(sum.square, alone.square);
  }
}

TEST(GradientSum, HasTheSameBitsWithSparseGradients) {
  struct Case {
    int64_t numbers;
    int shards;
    std::vector<int> ranks;
  };
  for (const auto& [numbers, shards, ranks_to_try] :
       {Case{48, 5, {2, 7}}, Case{3 * block_size - 16, 1, {2}},
        Case{3 * block_size - 16, 4, {2, 3, 7}}, Case{140 * block_size + 32, 5, {3}}}) {
    const auto sum = [&](int ranks, GradientPrecision precision) {
      return sum_on(ranks, shards, numbers, precision, Sparse::with);
    };
    const Sum alone = sum(1, GradientPrecision::float32);
    EXPECT_TRUE(alone.numbers == plain_sum(shards, numbers, Sparse::with)) << shards;
    const Sum rounded = sum(1, GradientPrecision::bfloat16);
    EXPECT_FALSE(rounded.numbers == alone.numbers);
    EXPECT_NEAR(rounded.square / alone.square, 1, 0.01);
    for (const int ranks : ranks_to_try) {
      const Sum shared = sum(ranks, GradientPrecision::float32);
      EXPECT_TRUE(shared.numbers == alone.numbers) << shards << " shards on " << ranks << " ranks";
      EXPECT_EQ(shared.square, alone.square);
      EXPECT_TRUE(sum(ranks, GradientPrecision::bfloat16).numbers == rounded.numbers)
          << shards << " shards on " << ranks << " ranks";
    }
  }
}

TEST(GradientSum, InBfloat16HasTheSameBitsOnAnyNumberOfRanksAndSendsHalf) {
  const int64_t numbers = 66 * block_size + 32;
  for (const int shards : {1, 5, 8}) {
    const Sum exact = sum_on(1, shards, numbers);
    const Sum alone = sum_on(1, shards, numbers, GradientPrecision::bfloat16);
    EXPECT_FALSE(alone.numbers == exact.numbers);
    EXPECT_NEAR(alone.square / exact.square, 1, 0.01);
    for (const int ranks : {2, 5}) {
      const Sum sum = sum_on(ranks, shards, numbers, GradientPrecision::bfloat16);
      EXPECT_TRUE(sum.numbers == alone.numbers) << shards << " shards on " << ranks << " ranks";
      EXPECT_EQ(sum.square, alone.square);
      EXPECT_EQ(2 * sum.most_sent, sum_on(ranks, shards, numbers).most_sent);
    }
  }
}

TEST(GradientSum, OfSomethingSmallerThanABlock) {
  for (const int64_t numbers : {16, 48})
    for (int ranks = 2; ranks <= 4; ++ranks) {
      const Sum sum = sum_on(ranks, 3, numbers), alone = sum_on(1, 3, numbers);
      EXPECT_EQ(sum.numbers, alone.numbers);
      EXPECT_EQ(sum.square, alone.square);
    }
}

TEST(GradientSum, SendsNoMoreThanTheGradientHas) {
  const int64_t numbers = 8 * block_size;
  for (const int ranks : {2, 4, 8}) {
    const auto all = static_cast<size_t>(numbers) * sizeof(float);
    EXPECT_EQ(sum_on(ranks, 8, numbers).most_sent,
              all * static_cast<size_t>(ranks - 1) / static_cast<size_t>(ranks));
  }
}

}  // namespace
}  // namespace heed
