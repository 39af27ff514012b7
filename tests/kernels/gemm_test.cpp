#include "heed/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "close.h"
#include "every_target.h"
#include "product_example.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using namespace heed::testing;

void expect_reference(const std::vector<Case>& cases) {
  for (const Case& how : cases) {
    SCOPED_TRACE(::testing::PrintToString(how));
    Example example(how);
    for_every_target([&] {
      Operand c = example.before();
      gemm(example.a(), example.b(), c.view(), example.options());
      example.expect_in(c);
      Operand packed = example.before();
      gemm_packed(example.a(), PackedWeights(example.b()), packed.view(), example.options());
      example.expect_in(packed);
    });
  }
}

TEST(Gemm, EqualsTheReferenceInEverySize) { expect_reference(sizes_around_tiles_and_blocks()); }

TEST(Gemm, EqualsTheReferenceInEveryLayout) { expect_reference(layouts_of_the_operands()); }

TEST(Gemm, EqualsTheReferenceWithEveryOption) { expect_reference(options_of_the_product()); }

// The steps of the depth, one product each: what every element of a product must be, to the bit.
std::vector<float> step_by_step(Example& example) {
  Operand c = example.before();
  const MatrixView<const float> a = example.a(), b = example.b();
  GemmOptions<float> options = example.options();
  for (int64_t step = 0; step < a.columns; ++step)
    gemm(a.block(0, step, a.rows, 1), b.block(step, 0, 1, b.columns), c.view(),
         {.accumulate = options.accumulate || step > 0,
          .bias = step + 1 == a.columns ? options.bias : std::span<const float>()});
  return c.elements();
}

// Any cut of the depth, any tile, packed or not.
TEST(Gemm, EachElementIsOneChainOverTheDepth) {
  for (const Layout a : {Layout::rows, Layout::far_columns})
    for (const int64_t depth : {1, 2, 15, 16, 17, 129, 255, 257, 385, 513, 769})
      for (const bool accumulate : {false, true}) {
        const Case how = {.rows = 21,
                          .columns = 91,
                          .depth = depth,
                          .a = a,
                          .b = Layout::columns,
                          .accumulate = accumulate,
                          .bias = true};
        SCOPED_TRACE(::testing::PrintToString(how));
        Example example(how);
        for_every_target([&] {
          const std::vector<float> expected = step_by_step(example);
          Operand c = example.before(), packed = example.before();
          gemm(example.a(), example.b(), c.view(), example.options());
          EXPECT_EQ(c.elements(), expected);
          gemm_packed(example.a(), PackedWeights(example.b()), packed.view(), example.options());
          EXPECT_EQ(packed.elements(), expected);
        });
      }
}

// The product of all rows, beside those of the first ones and of some alone.
void expect_rows_to_stand_alone(const Case& how, const std::vector<int64_t>& heights) {
  SCOPED_TRACE(::testing::PrintToString(how));
  Example example(how);
  for_every_target([&] {
    const PackedWeights weights(example.b());
    Operand whole = example.before();
    gemm(example.a(), example.b(), whole.view(), example.options());
    const auto expect_same = [&](int64_t first, int64_t rows) {
      const auto block = [&](auto view) { return view.block(first, 0, rows, view.columns); };
      Operand c = example.before(), packed = example.before();
      gemm(block(example.a()), example.b(), block(c.view()), example.options());
      gemm_packed(block(example.a()), weights, block(packed.view()), example.options());
      for (int64_t r = first; r < first + rows; ++r)
        for (int64_t column = 0; column < how.columns; ++column) {
          ASSERT_EQ(c.view()(r, column), whole.view()(r, column)) << rows << " rows, row " << r;
          ASSERT_EQ(packed.view()(r, column), whole.view()(r, column))
              << rows << " rows, row " << r;
        }
    };
    for (const int64_t rows : heights) expect_same(0, rows);
    for (const int64_t row : {how.rows / 2, how.rows - 1}) expect_same(row, 1);
  });
}

TEST(Gemm, RowsDoNotDependOnTheirNumber) {
  std::vector<int64_t> heights;
  for (int64_t rows = 1; rows <= 20; ++rows) heights.push_back(rows);
  for (const int64_t rows : {31, 47, 48, 49, 96, 97, 150}) heights.push_back(rows);
  for (const bool accumulate : {false, true})
    expect_rows_to_stand_alone({.rows = 200,
                                .columns = 60,
                                .depth = 300,
                                .b = Layout::columns,
                                .accumulate = accumulate,
                                .bias = true},
                               heights);
}

TEST(Gemm, RowsDoNotDependOnTheirNumberAtAnyDepth) {
  for (const int64_t depth :
       {1,   2,   3,   4,   5,   8,   15,  16,  17,  127,  128,  129,  255,  256,  257, 383,
        384, 385, 511, 512, 513, 640, 767, 768, 769, 1023, 1024, 1025, 1535, 2047, 2048})
    expect_rows_to_stand_alone({.rows = 200,
                                .columns = 37,
                                .depth = depth,
                                .b = Layout::columns,
                                .bias = true,
                                .activation = Activation::gelu},
                               {1, 2, 3, 5, 9, 17, 40});
}

TEST(Gemm, RowsDoNotDependOnTheirNumberAtAnyWidth) {
  for (int64_t vectors = 1; vectors <= 14; ++vectors)
    for (const int64_t columns : {8 * vectors - 1, 8 * vectors})
      expect_rows_to_stand_alone({.rows = 23, .columns = columns, .depth = 40}, {1, 2, 3, 4, 5, 8});
}

TEST(Gemm, RowsDoNotDependOnTheirNumberInAnyLayout) {
  for (const Layout a : all_layouts)
    for (const Layout b : all_layouts)
      expect_rows_to_stand_alone(
          {.rows = 130, .columns = 53, .depth = 411, .a = a, .b = b, .bias = true},
          {1, 2, 7, 16, 17, 97});
}

TEST(Gemm, NothingToComputeTouchesNothing) {
  for_every_target([] {
    Operand a(3, 5, Layout::rows, 1), c(3, 5, Layout::rows, 2);
    const std::vector<float> before = c.elements();
    gemm(a.view().block(0, 0, 0, 5), matrix<const float>(nullptr, 5, 5),
         c.view().block(0, 0, 0, 5));
    gemm(a.view(), matrix<const float>(nullptr, 5, 0), c.view().block(0, 0, 3, 0));
    gemm_packed(a.view(), PackedWeights(matrix<const float>(nullptr, 5, 0)),
                c.view().block(0, 0, 3, 0));
    EXPECT_EQ(c.elements(), before);
  });
}

// A column of b that holds infinities or NaN must not leak into others, nor must what comes after
// the last column.
TEST(Gemm, ColumnsDoNotMeet) {
  for_every_target([] {
    Operand a(9, 20, Layout::rows, 1), b(20, 21, Layout::rows, 2), c(9, 21, Layout::rows, 3);
    for (int64_t r = 0; r < 20; ++r) b.view()(r, 7) = std::numeric_limits<float>::quiet_NaN();
    gemm(a.view(), b.view(), c.view());
    for (int64_t r = 0; r < 9; ++r)
      for (int64_t column = 0; column < 21; ++column)
        EXPECT_EQ(std::isnan(c.view()(r, column)), column == 7);
  });
}

TEST(Gemm, WeightsPackedForOneInstructionSetServeEveryOther) {
  Example example({.rows = 11, .columns = 83, .depth = 70, .bias = true});
  std::vector<PackedWeights> packed;
  for_every_target([&] { packed.emplace_back(example.b()); });
  for_every_target([&] {
    for (const PackedWeights& weights : packed) {
      Operand c = example.before();
      gemm_packed(example.a(), weights, c.view(), example.options());
      example.expect_in(c);
    }
  });
}

TEST(Gemm, PackedWeightsKnowTheirShape) {
  const std::vector<float> values = testing::random_floats(6, 1);
  const PackedWeights weights(matrix<const float>(values.data(), 2, 3));
  EXPECT_EQ(weights.rows(), 2);
  EXPECT_EQ(weights.columns(), 3);
}

TEST(Gemm, ThreadsDoNotShareScratch) {
  Example example(
      {.rows = 150, .columns = 300, .depth = 500, .a = Layout::far_columns, .b = Layout::columns});
  std::vector<Operand> results(4, example.before());
  std::vector<std::thread> threads;
  for (Operand& c : results)
    threads.emplace_back([&example, &c] {
      for (int i = 0; i < 5; ++i) gemm(example.a(), example.b(), c.view(), example.options());
    });
  for (std::thread& thread : threads) thread.join();
  for (Operand& c : results) example.expect_in(c);
}

TEST(Gemm, DoublesAreTheReference) {
  const std::vector<double> a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, bias = {0.5, -0.5};
  std::vector<double> c = {1, 1, 1, 1};
  gemm(matrix<const double>(a.data(), 2, 2), matrix<const double>(b.data(), 2, 2).transposed(),
       matrix(c.data(), 2, 2), {.accumulate = true, .bias = bias});
  EXPECT_TRUE(testing::close(c, std::vector<double>{18.5, 23.5, 40.5, 53.5}, 0, 0));
}

}  // namespace
}  // namespace heed::kernels
