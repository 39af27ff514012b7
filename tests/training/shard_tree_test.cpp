#include "heed/training/shard_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "error_of.h"
#include "heed/base/random.h"

namespace heed {
namespace {

using heed::testing::error_of;
using Additions = std::vector<ShardAddition>;

TEST(ShardTree, OneRankAddsPairsThenPairsOfPairs) {
  const ShardTree tree(5, 1);
  EXPECT_EQ(tree.additions_of(0), (Additions{{0, 1}, {2, 3}, {0, 2}, {0, 4}}));
  EXPECT_TRUE(tree.joint_additions().empty());
  EXPECT_EQ(tree.sums_of(0), std::vector<int>{0});
  EXPECT_TRUE(ShardTree(1, 1).additions_of(0).empty());
}

TEST(ShardTree, RanksAddWhatIsTheirs) {
  const ShardTree tree(6, 2);
  EXPECT_EQ(tree.shards_of(1), (Range{3, 6}));
  EXPECT_EQ(tree.additions_of(0), (Additions{{0, 1}}));
  EXPECT_EQ(tree.sums_of(0), (std::vector<int>{0, 2}));
  EXPECT_EQ(tree.additions_of(1), (Additions{{4, 5}}));
  EXPECT_EQ(tree.sums_of(1), (std::vector<int>{3, 4}));
  EXPECT_EQ(tree.joint_additions(), (Additions{{2, 3}, {0, 2}, {0, 4}}));
}

// As a formula, which shows the order of every addition.
std::string formula(const ShardTree& tree, int ranks) {
  std::map<int, std::string> sums;
  const auto apply = [&](const Additions& additions) {
    for (const auto& [into, from] : additions) {
      EXPECT_TRUE(sums.contains(into) && sums.contains(from)) << into << " += " << from;
      sums[into] = "(" + sums[into] + "+" + sums[from] + ")";
      sums.erase(from);
    }
  };
  std::map<int, std::string> left;
  for (int rank = 0; rank < ranks; ++rank) {
    sums.clear();
    const Range shards = tree.shards_of(rank);
    for (auto shard = static_cast<int>(shards.begin); shard < shards.end; ++shard)
      sums[shard] = std::to_string(shard);
    apply(tree.additions_of(rank));
    std::vector<int> names;
    for (const auto& [name, sum] : sums) names.push_back(name);
    EXPECT_EQ(names, tree.sums_of(rank));
    left.insert(sums.begin(), sums.end());
  }
  sums = left;
  apply(tree.joint_additions());
  EXPECT_EQ(sums.size(), 1u);
  return sums[0];
}

TEST(ShardTree, AnyNumberOfRanksMakesTheSameAdditions) {
  EXPECT_EQ(formula(ShardTree(6, 2), 2), "(((0+1)+(2+3))+(4+5))");
  for (int shards = 1; shards <= 33; ++shards)
    for (int ranks = 1; ranks <= 40; ++ranks)
      EXPECT_EQ(formula(ShardTree(shards, ranks), ranks), formula(ShardTree(shards, 1), 1))
          << shards << " shards on " << ranks << " ranks";
}

TEST(ShardTree, LargeNumbersOfShardsAndRanksMakeTheSameAdditions) {
  Rng rng(11);
  for (int again = 0; again < 50; ++again) {
    const int shards = 1 + static_cast<int>(rng.below(600)),
              ranks = 1 + static_cast<int>(rng.below(300));
    EXPECT_EQ(formula(ShardTree(shards, ranks), ranks), formula(ShardTree(shards, 1), 1))
        << shards << " shards on " << ranks << " ranks";
  }
}

// What is left is what is sent.
TEST(ShardTree, LeavesOneSumToEachRankOfAnEqualPowerOfTwo) {
  for (const int ranks : {1, 2, 4, 8, 16})
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(ShardTree(16, ranks).sums_of(rank), std::vector<int>{rank * 16 / ranks});
}

TEST(ShardTree, NeedsShardsAndRanks) {
  EXPECT_EQ(error_of([] { ShardTree(0, 1); }), "learner: 0 shards but at least 1 was expected");
  EXPECT_EQ(error_of([] { ShardTree(1, 0); }), "learner: 0 ranks but at least 1 was expected");
}

}  // namespace
}  // namespace heed
