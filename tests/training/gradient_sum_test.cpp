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

struct Sum {
  Numbers numbers;
  double square = 0;
  size_t most_sent = 0;  // by a rank, in bytes
};

Sum sum_on(int ranks, int shards, int64_t numbers) {
  Sum result;
  result.numbers.resize(static_cast<size_t>(numbers));
  std::vector<double> squares(static_cast<size_t>(ranks));
  std::vector<size_t> sent(static_cast<size_t>(ranks));
  run_ranks(ranks, [&](ThreadCommunicator& communicator) {
    Workers workers(1 + communicator.rank() % 2);
    GradientSum sum(numbers, shards, workers, communicator);
    const auto rank = static_cast<size_t>(communicator.rank());
    const Ownership& ownership = sum.ownership();
    Rng rng(rank + 1);
    for (int again = 0; again < 2; ++again) {
      std::vector<Tensor> gradients;
      for (int64_t shard = sum.shards().begin; shard < sum.shards().end; ++shard)
        gradients.push_back(gradient_of(static_cast<int>(shard), numbers));
      sum.begin(gradients);
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

// The definition: pairs, then pairs of pairs, number by number.
Numbers plain_sum(int shards, int64_t numbers) {
  std::vector<Tensor> gradients;
  for (int shard = 0; shard < shards; ++shard) gradients.push_back(gradient_of(shard, numbers));
  for (int stride = 1; stride < shards; stride *= 2)
    for (int shard = 0; shard + stride < shards; shard += 2 * stride)
      for (size_t i = 0; i < static_cast<size_t>(numbers); ++i)
        gradients[static_cast<size_t>(shard)].span<float>()[i] +=
            gradients[static_cast<size_t>(shard + stride)].span<float>()[i];
  const std::span<const float> sum = std::as_const(gradients[0]).span<float>();
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
  const int64_t numbers = 200 * block_size + 32;
  const Sum alone = sum_on(1, 5, numbers);
  EXPECT_TRUE(alone.numbers == plain_sum(5, numbers));
  for (const int ranks : {2, 3, 5}) {
    const Sum sum = sum_on(ranks, 5, numbers);
    EXPECT_TRUE(sum.numbers == alone.numbers) << ranks << " ranks";
    EXPECT_EQ(sum.square, alone.square);
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
