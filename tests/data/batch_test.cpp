#include "heed/data/batch.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

TEST(Batch, JoinsSentencesEndToEnd) {
  const TokenBatch batch = join_sentences(std::vector<Ids>{{5, 6, 0}, {}, {7, 0}});
  EXPECT_EQ(batch.ids, (Ids{5, 6, 0, 7, 0}));
  EXPECT_EQ(batch.layout, Ragged({3, 0, 2}));
  EXPECT_EQ(Ids(batch.sentence(2).begin(), batch.sentence(2).end()), (Ids{7, 0}));
}

TEST(Batch, LeavesOutTheEnds) {
  const TokenBatch cut = without_ends(join_sentences(std::vector<Ids>{{5, 6, 0}, {0}, {7, 0}}));
  EXPECT_EQ(cut.ids, (Ids{5, 6, 7}));
  EXPECT_EQ(cut.layout, Ragged({2, 0, 1}));
  EXPECT_EQ(testing::error_of([] {
              (void)without_ends(join_sentences(std::vector<Ids>{{1, 0}, {}}));
            }),
            "batch: sentence 1 has no end");
}

TEST(Batch, RepeatsAllPairsAfterAllPairs) {
  const Batch batch = {join_sentences(std::vector<Ids>{{5, 0}, {0}}),
                       join_sentences(std::vector<Ids>{{6, 7, 0}, {8, 0}}),
                       {9, start_token},
                       {0, 2},
                       {{0, 1}, {3, 0}},
                       {0.5, 2}};
  const Batch both = twice(batch);
  EXPECT_EQ(both.source.ids, (Ids{5, 0, 0, 5, 0, 0}));
  EXPECT_EQ(both.source.layout, Ragged({2, 1, 2, 1}));
  EXPECT_EQ(both.target.ids, (Ids{6, 7, 0, 8, 0, 6, 7, 0, 8, 0}));
  EXPECT_EQ(both.target.layout, Ragged({3, 2, 3, 2}));
  EXPECT_EQ(both.before, (Ids{9, start_token, 9, start_token}));
  EXPECT_EQ(both.places, (Ids{0, 2, 3, 5}));
  EXPECT_EQ(both.weights, (std::vector<float>{0.5, 2, 0.5, 2}));
  EXPECT_EQ(both.links, (std::vector<TokenLink>{{0, 1}, {3, 0}, {5, 1}, {8, 0}}));
}

TEST(Batch, ShiftsEachSentenceAfterAStart) {
  Batch batch = {{}, join_sentences(std::vector<Ids>{{5, 6, 0}, {}, {7, 0}, {0}})};
  const TokenBatch inputs = shifted_right(batch, 9);
  EXPECT_EQ(inputs.ids, (Ids{9, 5, 6, 9, 7, 9}));
  EXPECT_EQ(inputs.layout, batch.target.layout);
  EXPECT_TRUE(shifted_right(Batch{}, 9).ids.empty());
}

TEST(Batch, ShiftsTheMiddleOfATextAfterTheTokenBeforeIt) {
  Batch batch = {{}, join_sentences(std::vector<Ids>{{5, 6}, {7, 8}, {3}}), {4, start_token, 2}};
  EXPECT_EQ(shifted_right(batch, 9).ids, (Ids{4, 5, 9, 7, 2}));
  EXPECT_EQ(shifted_right(twice(batch), 9).ids, (Ids{4, 5, 9, 7, 2, 4, 5, 9, 7, 2}));
  batch.before.pop_back();
  EXPECT_EQ(testing::error_of([&] { shifted_right(batch, 9); }),
            "batch: 2 tokens before 3 targets");
}

}  // namespace
}  // namespace heed
