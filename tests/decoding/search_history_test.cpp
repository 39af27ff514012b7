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
  EXPECT_FALSE(history.attention(ab).present());
}

TEST(SearchHistory, EachTokenKeepsTheRowThatProposedIt) {
  SearchHistory history;
  const Tensor first = Tensor::of({1, 3}, {1, 2, 3}),
               second = Tensor::of({2, 4}, {4, 5, 6, 0, 7, 8, 9, 0});
  history.remember_attention(first.matrix<float>(), 3);
  const int64_t a = history.extend(SearchHistory::root, 7, 0);
  // Longer sentences beside it leave room that is not its own.
  history.remember_attention(second.matrix<float>(), 3);
  const int64_t ab = history.extend(a, 8, 1);
  const int64_t ac = history.extend(a, 9, 0);
  EXPECT_EQ(history.attention(ab).shape(), (Shape{2, 3}));
  EXPECT_EQ(testing::values_of(history.attention(ab)), (std::vector<double>{1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(testing::values_of(history.attention(ac)), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(history.attention(SearchHistory::root).shape(), (Shape{0, 3}));
}

}  // namespace
}  // namespace heed
