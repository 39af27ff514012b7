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
                       {0, 2}};
  const Batch both = twice(batch);
  EXPECT_EQ(both.source.ids, (Ids{5, 0, 0, 5, 0, 0}));
  EXPECT_EQ(both.source.layout, Ragged({2, 1, 2, 1}));
  EXPECT_EQ(both.target.ids, (Ids{6, 7, 0, 8, 0, 6, 7, 0, 8, 0}));
  EXPECT_EQ(both.target.layout, Ragged({3, 2, 3, 2}));
  EXPECT_EQ(both.places, (Ids{0, 2, 3, 5}));
}

TEST(Batch, ShiftsEachSentenceAfterAStart) {
  const TokenBatch target = join_sentences(std::vector<Ids>{{5, 6, 0}, {}, {7, 0}, {0}});
  const TokenBatch inputs = shifted_right(target, 9);
  EXPECT_EQ(inputs.ids, (Ids{9, 5, 6, 9, 7, 9}));
  EXPECT_EQ(inputs.layout, target.layout);
  EXPECT_TRUE(shifted_right(join_sentences({}), 9).ids.empty());
}

}  // namespace
}  // namespace heed
