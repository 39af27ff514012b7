#include "heed/tensor/shape.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

TEST(Shape, OfASingleNumberHasNoAxesAndOneElement) {
  const Shape shape;
  EXPECT_EQ(shape.rank(), 0);
  EXPECT_EQ(shape.elements(), 1);
  EXPECT_EQ(shape.rows(), 1);
  EXPECT_EQ(shape.columns(), 1);
  EXPECT_EQ(shape.text(), "()");
  EXPECT_TRUE(shape.sizes().empty());
}

TEST(Shape, KnowsItsSizesFromBothEnds) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[2], 4);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_EQ(shape.elements(), 24);
  EXPECT_EQ(shape.text(), "(2, 3, 4)");
  EXPECT_EQ(fmt::format("shape {}", shape), "shape (2, 3, 4)");
  EXPECT_EQ((std::vector<int64_t>(shape.sizes().begin(), shape.sizes().end())),
            (std::vector<int64_t>{2, 3, 4}));
}

TEST(Shape, FoldsItsLeadingAxesIntoRows) {
  EXPECT_EQ((Shape{5}.rows()), 1);
  EXPECT_EQ((Shape{5}.columns()), 5);
  EXPECT_EQ((Shape{2, 3, 4}.rows()), 6);
  EXPECT_EQ((Shape{2, 3, 4}.columns()), 4);
  EXPECT_EQ((Shape{0, 4}.rows()), 0);
  EXPECT_EQ((Shape{3, 0}.rows()), 3);
}

TEST(Shape, TakesSizesOfZero) {
  const Shape shape{3, 0, 2};
  EXPECT_EQ(shape.elements(), 0);
  EXPECT_EQ(shape.text(), "(3, 0, 2)");
}

TEST(Shape, IsEqualWhenRankAndSizesAre) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3} == Shape{3, 2}));
  EXPECT_FALSE((Shape{2, 3} == Shape{2, 3, 1}));
  EXPECT_FALSE((Shape{1} == Shape{}));
}

TEST(Shape, ChangesItsLastAxis) {
  EXPECT_EQ((Shape{2, 3, 4}.with_last(7)), (Shape{2, 3, 7}));
  EXPECT_EQ((Shape{4}.with_last(0)), (Shape{0}));
  EXPECT_EQ(error_of([] { (void)Shape{}.with_last(2); }),
            "shape: a single number has no last axis");
  EXPECT_EQ(error_of([] {
              (void)Shape{2, 3}.with_last(-1);
            }),
            "shape: (2, -1) has a negative size");
}

TEST(Shape, HasAtMostSixAxes) {
  EXPECT_EQ((Shape{1, 2, 3, 4, 5, 6}.rank()), 6);
  EXPECT_EQ(error_of([] { (void)Shape{1, 2, 3, 4, 5, 6, 7}; }),
            "shape: rank 7 but at most 6 axes are supported");
}

TEST(Shape, RefusesNegativeSizes) {
  EXPECT_EQ(error_of([] { (void)Shape{2, -3}; }), "shape: (2, -3) has a negative size");
  EXPECT_EQ(error_of([] { (void)Shape{std::numeric_limits<int64_t>::min()}; }),
            "shape: (-9223372036854775808) has a negative size");
}

TEST(Shape, RefusesProductsThatOverflow) {
  EXPECT_EQ((Shape{huge}.elements()), huge);
  EXPECT_EQ((Shape{int64_t{1} << 31, int64_t{1} << 31}.elements()), int64_t{1} << 62);
  EXPECT_EQ(error_of([] {
              (void)Shape{int64_t{1} << 32, int64_t{1} << 31};
            }),
            "shape: (4294967296, 2147483648) is too large");
}

// Rows and strides are products too, so a zero must not hide sizes whose product does not fit.
TEST(Shape, RefusesOverflowAfterAZero) {
  EXPECT_EQ(error_of([] {
              (void)Shape{0, huge, 2};
            }),
            "shape: (0, 9223372036854775807, 2) is too large");
  EXPECT_EQ(error_of([] {
              (void)Shape{huge, 2, 0};
            }),
            "shape: (9223372036854775807, 2, 0) is too large");
}

TEST(Shape, IsMadeFromASpan) {
  const std::array<int64_t, 2> sizes{4, 5};
  EXPECT_EQ(Shape(std::span<const int64_t>(sizes)), (Shape{4, 5}));
}

}  // namespace
}  // namespace heed
