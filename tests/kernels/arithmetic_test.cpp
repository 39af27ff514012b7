#include "heed/kernels/arithmetic.h"

#include <gtest/gtest.h>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/arithmetic.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

// Calls check(a, b) with two guarded spans of each awkward size and several alignments.
template <typename Check>
void for_every_pair(Check check) {
  for_every_target([&] {
    for (const size_t size : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << "size " << size << " offset " << offset);
        GuardedFloats a(random_floats(size, size), offset),
            b(random_floats(size, size + 1), 2 - offset);
        check(a, b);
        EXPECT_TRUE(a.intact() && b.intact());
      }
  });
}

TEST(Arithmetic, Add) {
  for_every_pair([](GuardedFloats& a, GuardedFloats& b) {
    std::vector<float> expected(a.view().size()), y(expected);
    reference::add<float>(a.view(), b.view(), expected);
    add(a.view(), b.view(), y);
    EXPECT_TRUE(close(y, expected, 0.0, 0.0));
    add(a.view(), b.view(), a.span());
    EXPECT_TRUE(close(a.view(), std::span<const float>(expected), 0.0, 0.0));
  });
}

TEST(Arithmetic, Multiply) {
  for_every_pair([](GuardedFloats& a, GuardedFloats& b) {
    std::vector<float> expected(a.view().size()), y(expected);
    reference::multiply<float>(a.view(), b.view(), expected);
    multiply(a.view(), b.view(), y);
    EXPECT_TRUE(close(y, expected, 0.0, 0.0));
    multiply(a.view(), b.view(), b.span());
    EXPECT_TRUE(close(b.view(), std::span<const float>(expected), 0.0, 0.0));
  });
}

TEST(Arithmetic, AddScaled) {
  for_every_pair([](GuardedFloats& a, GuardedFloats& b) {
    std::vector<double> expected = widened(b.view());
    reference::add_scaled<double>(double{0.3f}, widened(a.view()), expected);
    add_scaled(0.3f, a.view(), b.span());
    EXPECT_TRUE(close(b.view(), std::span<const double>(expected), 1e-6, 1e-6));
  });
}

TEST(Arithmetic, Scale) {
  for_every_pair([](GuardedFloats& a, GuardedFloats& b) {
    std::vector<float> expected(a.view().size());
    reference::scale<float>(-1.7f, a.view(), expected);
    scale(-1.7f, a.view(), b.span());
    EXPECT_TRUE(close(b.view(), std::span<const float>(expected), 0.0, 0.0));
    scale(-1.7f, a.view(), a.span());
    EXPECT_TRUE(close(a.view(), b.view(), 0.0, 0.0));
  });
}

TEST(Arithmetic, Dot) {
  for_every_pair([](GuardedFloats& a, GuardedFloats& b) {
    const std::vector<double> wide_a = widened(a.view()), wide_b = widened(b.view());
    EXPECT_NEAR(dot(a.view(), b.view()), reference::dot<double>(wide_a, wide_b), 2e-5);
    EXPECT_EQ(dot(std::span<const double>(wide_a), std::span<const double>(wide_b)),
              reference::dot<double>(wide_a, wide_b));
  });
}

// Calls check(x, row) with a matrix and one more row, for several numbers of rows and awkward
// numbers of columns.
template <typename Check>
void for_every_matrix(Check check) {
  for_every_target([&] {
    for (const size_t columns : awkward_sizes)
      for (const size_t rows : {1, 2, 3, 4, 5, 8, 11}) {
        SCOPED_TRACE(::testing::Message() << rows << " rows of " << columns);
        GuardedFloats x(random_floats(rows * columns, rows + columns), rows % 3);
        GuardedFloats row(random_floats(columns, columns), columns % 3);
        check(x, row);
        EXPECT_TRUE(x.intact() && row.intact());
      }
  });
}

TEST(Arithmetic, AddToRows) {
  for_every_matrix([](GuardedFloats& x, GuardedFloats& bias) {
    std::vector<float> expected(x.view().size()), y(expected);
    reference::add_to_rows<float>(x.view(), bias.view(), expected);
    add_to_rows(x.view(), bias.view(), y);
    EXPECT_TRUE(close(y, expected, 0.0, 0.0));
    add_to_rows(x.view(), bias.view(), x.span());
    EXPECT_TRUE(close(x.view(), std::span<const float>(expected), 0.0, 0.0));
  });
}

TEST(Arithmetic, SumRowsAddsToTheSums) {
  for_every_matrix([](GuardedFloats& x, GuardedFloats& sums) {
    std::vector<double> expected = widened(sums.view());
    reference::sum_rows<double>(widened(x.view()), expected);
    sum_rows(x.view(), sums.span());
    EXPECT_TRUE(close(sums.view(), std::span<const double>(expected), 1e-6, 3e-6));
  });
}

TEST(Arithmetic, EmptySpansAreFine) {
  for_every_target([] {
    std::vector<float> none;
    add(none, none, none);
    sum_rows(none, none);
    add_to_rows(none, none, none);
    EXPECT_EQ(dot(std::span<const float>(none), std::span<const float>(none)), 0.0f);
  });
}

}  // namespace
}  // namespace heed::kernels
