#include "heed/decoding/search_history.h"

#include <gtest/gtest.h>

#include "tensors.h"

namespace heed {
namespace {

TEST(SearchHistory, HypothesesShareTheirBeginning) {
  SearchHistory history;
  const int64_t a = history.extend(SearchHistory::root, 7, 0);
  const int64_t ab = history.extend(a, 8, 0);
  const int64_t ac = history.extend(a, 9, 0);
  EXPECT_EQ(history.ids(SearchHistory::root), std::vector<int32_t>{});
  EXPECT_EQ(history.ids(a), (std::vector<int32_t>{7}));
  EXPECT_EQ(history.ids(ab), (std::vector<int32_t>{7, 8}));
  EXPECT_EQ(history.ids(ac), (std::vector<int32_t>{7, 9}));
  EXPECT_FALSE(history.attention(ab, 2).present());
}

TEST(SearchHistory, EachTokenKeepsTheRowThatProposedIt) {
  SearchHistory history;
  history.remember_attention(Tensor::of({1, 3}, {1, 2, 3}));
  const int64_t a = history.extend(SearchHistory::root, 7, 0);
  history.remember_attention(Tensor::of({2, 3}, {4, 5, 6, 7, 8, 9}));
  const int64_t ab = history.extend(a, 8, 1);
  const int64_t ac = history.extend(a, 9, 0);
  EXPECT_EQ(history.attention(ab, 3).shape(), (Shape{2, 3}));
  EXPECT_EQ(testing::values_of(history.attention(ab, 3)), (std::vector<double>{1, 2, 3, 7, 8, 9}));
  // A shorter sentence of the batch leaves out the padding.
  EXPECT_EQ(testing::values_of(history.attention(ac, 2)), (std::vector<double>{1, 2, 4, 5}));
  EXPECT_EQ(history.attention(SearchHistory::root, 2).shape(), (Shape{0, 2}));
}

}  // namespace
}  // namespace heed
