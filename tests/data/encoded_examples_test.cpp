#include "heed/data/encoded_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/data/vocabulary.h"

namespace heed {
namespace {

std::vector<int32_t> some_ids(Rng& rng, uint64_t longest) {
  std::vector<int32_t> ids(rng.below(longest));
  for (int32_t& id : ids) id = static_cast<int32_t>(2 + rng.below(100));
  return ids;
}

EncodedExamples some_pairs(size_t count, uint64_t longest = 40) {
  EncodedExamples pairs;
  Rng rng(3);
  for (size_t i = 0; i < count; ++i) pairs.add_pair(some_ids(rng, longest), some_ids(rng, longest));
  return pairs;
}

int64_t tokens_of(const EncodedExamples& pairs, const Step& step) {
  int64_t sum = 0;
  for (const uint32_t pair : step) sum += pairs.tokens(pair);
  return sum;
}

std::vector<uint32_t> sorted(const std::vector<Step>& steps) {
  std::vector<uint32_t> all;
  for (const Step& step : steps) all.insert(all.end(), step.begin(), step.end());
  std::ranges::sort(all);
  return all;
}

TEST(EncodedExamples, EndEachSentence) {
  EncodedExamples pairs;
  pairs.add_pair(std::vector<int32_t>{5, 6}, std::vector<int32_t>{7});
  pairs.add_pair(std::vector<int32_t>{}, std::vector<int32_t>{8, 9});
  const auto ids = [](std::span<const int32_t> sentence) {
    return std::vector<int32_t>(sentence.begin(), sentence.end());
  };
  EXPECT_EQ(ids(pairs.source(0)), (std::vector<int32_t>{5, 6, Vocabulary::end}));
  EXPECT_EQ(ids(pairs.target(0)), (std::vector<int32_t>{7, Vocabulary::end}));
  EXPECT_EQ(ids(pairs.source(1)), (std::vector<int32_t>{Vocabulary::end}));
  EXPECT_EQ(ids(pairs.target(1)), (std::vector<int32_t>{8, 9, Vocabulary::end}));
  EXPECT_EQ(pairs.tokens(1), 3);
  EXPECT_EQ(pairs.cost(1), 4);
}

TEST(EncodedExamples, LinksAndWeightsStayWithTheirPair) {
  const std::vector<int32_t> two = {5, 6};
  const std::vector<TokenLink> one = {{0, 1}}, others = {{0, 0}, {1, 0}};
  EncodedExamples pairs;
  pairs.add_pair(two, two, one);
  pairs.add_pair(two, two);
  pairs.add_pair(two, two, others, 0.5);
  const std::vector<uint32_t> step = {2, 1, 0};
  EXPECT_EQ(make_batch(pairs, step).links, (std::vector<TokenLink>{{0, 0}, {1, 0}, {6, 1}}));
  EXPECT_TRUE(pairs.links(1).empty());
  EXPECT_EQ(make_batch(pairs, step).weights, (std::vector<float>{0.5, 1, 1}));
  EXPECT_TRUE(make_batch(pairs, std::vector<uint32_t>{0, 1}).weights.empty());
}

TEST(MakeSteps, EveryPairIsInOneStepThatIsSmallEnough) {
  const EncodedExamples pairs = some_pairs(1000);
  std::vector<uint32_t> all(pairs.size());
  std::iota(all.begin(), all.end(), 0u);
  for (const bool grouped : {false, true})
    for (const int64_t most : {40, 100, 1000, 1000000}) {
      const std::vector<Step> steps = make_steps(pairs, most, grouped, make_key(1));
      EXPECT_EQ(sorted(steps), all);
      for (const Step& step : steps) EXPECT_LE(tokens_of(pairs, step), most);
    }
  EXPECT_TRUE(make_steps(EncodedExamples(), 100, true, make_key(1)).empty());
}

TEST(MakeSteps, StepsAreOfAboutTheSameSize) {
  const EncodedExamples pairs = some_pairs(1000);
  const std::vector<Step> steps = make_steps(pairs, 1000, true, make_key(1));
  for (const Step& step : steps) EXPECT_GE(tokens_of(pairs, step), 900);
}

TEST(MakeSteps, SentencesOfAStepAreOfAboutTheSameLength) {
  const EncodedExamples pairs = some_pairs(2000);
  const auto spread = [&](bool grouped) {
    size_t most = 0;
    for (const Step& step : make_steps(pairs, 500, grouped, make_key(1))) {
      const auto [shortest, longest] =
          std::ranges::minmax(step, {}, [&](uint32_t pair) { return pairs.target(pair).size(); });
      most = std::max(most, pairs.target(longest).size() - pairs.target(shortest).size());
    }
    return most;
  };
  EXPECT_LE(spread(true), 2u);
  EXPECT_GE(spread(false), 20u);
}

TEST(MakeSteps, TheKeyDecides) {
  const EncodedExamples pairs = some_pairs(500);
  for (const bool grouped : {false, true}) {
    const std::vector<Step> steps = make_steps(pairs, 300, grouped, make_key(1));
    EXPECT_EQ(make_steps(pairs, 300, grouped, make_key(1)), steps);
    EXPECT_NE(make_steps(pairs, 300, grouped, make_key(2)), steps);
  }
}

TEST(MakeShards, AreBalancedAndComplete) {
  const EncodedExamples pairs = some_pairs(200);
  Step step(200);
  std::iota(step.begin(), step.end(), 0u);
  int64_t sentences = 0, all = 0;
  std::vector<int64_t> costs;
  for (const Batch& batch : make_shards(pairs, step, 4)) {
    EXPECT_EQ(batch.source.layout.sequences(), batch.target.layout.sequences());
    sentences += batch.sentences();
    costs.push_back(batch.source.layout.tokens() + batch.target.layout.tokens());
    all += costs.back();
  }
  EXPECT_EQ(sentences, 200);
  const auto [least, most] = std::ranges::minmax(costs);
  EXPECT_LE(most - least, all / 100);
}

TEST(MakeShards, FewPairsLeaveSomeEmpty) {
  const EncodedExamples pairs = some_pairs(2);
  const std::vector<Batch> shards = make_shards(pairs, {1, 0}, 4);
  ASSERT_EQ(shards.size(), 4u);
  EXPECT_EQ(shards[0].sentences() + shards[1].sentences(), 2);
  EXPECT_EQ(shards[3].sentences(), 0);
  EXPECT_EQ(shards[3].source.layout.tokens(), 0);
}

TEST(MakeBatch, KeepsTheOrder) {
  const EncodedExamples pairs = some_pairs(5);
  const Batch batch = make_batch(pairs, Step{3, 1});
  ASSERT_EQ(batch.sentences(), 2);
  EXPECT_TRUE(std::ranges::equal(batch.source.sentence(0), pairs.source(3)));
  EXPECT_TRUE(std::ranges::equal(batch.target.sentence(0), pairs.target(3)));
  EXPECT_TRUE(std::ranges::equal(batch.source.sentence(1), pairs.source(1)));
}

}  // namespace
}  // namespace heed
