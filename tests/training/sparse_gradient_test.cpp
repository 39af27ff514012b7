#include "heed/training/sparse_gradient.h"

#include <gtest/gtest.h>

#include <numeric>

namespace heed {
namespace {

using Parts = std::vector<std::pair<Range, std::vector<float>>>;

Parts parts_within(const SparseGradient& gradient, const Range& range) {
  Parts parts;
  gradient.visit_within(range, [&](const Range& part, std::span<const float> values) {
    parts.push_back({part, {values.begin(), values.end()}});
  });
  return parts;
}

TEST(SparseGradient, ShowsWhatItHasOfARange) {
  SparseGradient gradient;
  gradient.begin(std::vector<Range>{{2, 4}, {4, 5}, {10, 13}});
  std::iota(gradient.values().begin(), gradient.values().end(), 1.0f);
  EXPECT_EQ(parts_within(gradient, {0, 20}),
            (Parts{{{2, 4}, {1, 2}}, {{4, 5}, {3}}, {{10, 13}, {4, 5, 6}}}));
  EXPECT_EQ(parts_within(gradient, {3, 12}),
            (Parts{{{3, 4}, {2}}, {{4, 5}, {3}}, {{10, 12}, {4, 5}}}));
  EXPECT_EQ(parts_within(gradient, {11, 12}), (Parts{{{11, 12}, {5}}}));
  for (const Range nothing : {Range{0, 2}, Range{5, 10}, Range{13, 20}, Range{11, 11}})
    EXPECT_EQ(parts_within(gradient, nothing), Parts()) << nothing.begin;
}

TEST(SparseGradient, BeginsWithZeros) {
  SparseGradient gradient;
  gradient.begin(std::vector<Range>{{0, 2}});
  gradient.values()[0] = 1;
  gradient.begin(std::vector<Range>{{5, 8}});
  EXPECT_EQ(parts_within(gradient, {0, 10}), (Parts{{{5, 8}, {0, 0, 0}}}));
  gradient.begin(std::vector<Range>{{5, 8}}, false);
  EXPECT_EQ(gradient.stretches(), (std::vector<Range>{{5, 8}}));
  EXPECT_TRUE(gradient.values().empty());
}

}  // namespace
}  // namespace heed
