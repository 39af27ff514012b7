#include "heed/attention/word_weights.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::values_of;
using Words = std::vector<int64_t>;

TEST(WordWeights, SumOverKeysAndMeanOverQueries) {
  const Tensor pieces = Tensor::of({4, 4}, {0.5, 0.25, 0.125, 0.125,  //
                                            0, 0.25, 0.25, 0.5,       //
                                            1, 0, 0, 0,               //
                                            0.25, 0.25, 0.25, 0.25});
  const Tensor words = word_weights(pieces, Words{0, 1, 1, -1}, Words{0, 0, 1, -1});
  EXPECT_EQ(words.shape(), (Shape{2, 2}));
  EXPECT_EQ(values_of(words), (std::vector<double>{0.75, 0.125, 0.625, 0.125}));
}

TEST(WordWeights, OfSpecialTokensOnly) {
  EXPECT_EQ(word_weights(Tensor::of({1, 1}, {1}), Words{-1}, Words{-1}).shape(), (Shape{0, 0}));
  EXPECT_EQ(word_weights(Tensor::zeros({0, 2}), Words{}, Words{0, 1}).shape(), (Shape{0, 2}));
}

TEST(WordWeights, RefuseOtherSizes) {
  EXPECT_EQ(error_of([] {
              word_weights(Tensor::zeros({1, 2}), Words{0}, Words{0});
            }),
            "word weights: weights (1, 2) for 1 queries and 1 keys");
}

}  // namespace
}  // namespace heed
