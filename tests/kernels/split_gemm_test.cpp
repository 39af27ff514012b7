#include "heed/kernels/split_gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "heed/kernels/matrix_unit.h"
#include "product_example.h"

namespace heed::kernels {
namespace {

using namespace heed::testing;

class SplitGemm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_matrix_unit()) GTEST_SKIP() << "this machine has no unit that multiplies matrices";
  }
  void TearDown() override { use_matrix_unit(true); }
};

void expect_reference(const std::vector<Case>& cases) {
  for (const Case& how : cases) {
    SCOPED_TRACE(::testing::PrintToString(how));
    Example example(how);
    Operand c = example.before(), weighed = example.before();
    split_gemm(example.a(), example.b(), c.view(), example.options());
    example.expect_in(c);
    split_gemm(example.a(), SplitWeights(example.b()), weighed.view(), example.options());
    example.expect_in(weighed);
  }
}

std::vector<Case> sizes_that_pay() {
  std::vector<Case> cases;
  for (int64_t more : {0, 1, 15, 16, 17, 31, 32, 33}) {
    cases.push_back({96 + more, 64, 64});
    cases.push_back({96, 64 + more, 64});
    cases.push_back({96, 64, 64 + more});
    cases.push_back({100, 768 + more, 65});
    cases.push_back({97, 65, 256 + more});
  }
  cases.push_back({200, 1000, 770});
  return cases;
}

TEST_F(SplitGemm, EqualsTheReferenceInEverySize) {
  expect_reference(sizes_around_tiles_and_blocks());
  expect_reference(sizes_that_pay());
}

TEST_F(SplitGemm, EqualsTheReferenceInEveryLayout) {
  expect_reference(layouts_of_the_operands());
  for (Layout a : all_layouts)
    for (Layout b : all_layouts) expect_reference({{130, 101, 300, a, b}});
}

TEST_F(SplitGemm, EqualsTheReferenceWithEveryOption) {
  expect_reference(options_of_the_product());
  for (const bool bias : {false, true}) {
    for (const bool accumulate : {false, true})
      expect_reference(
          {{.rows = 97, .columns = 70, .depth = 500, .accumulate = accumulate, .bias = bias}});
    expect_reference(
        {{.rows = 97, .columns = 70, .depth = 90, .bias = bias, .activation = Activation::gelu}});
  }
}

double squared_error(Operand& c, Example& example) {
  double sum = 0;
  const std::vector<float> found = c.elements();
  for (size_t i = 0; i < found.size(); ++i) sum += std::pow(found[i] - example.expected()[i], 2);
  return sum;
}

TEST_F(SplitGemm, IsAsExactAsProductsOfFloats) {
  for (const int64_t depth : {64, 500, 2000}) {
    Example example({.rows = 100, .columns = 100, .depth = depth});
    Operand split = example.before(), floats = example.before();
    split_gemm(example.a(), example.b(), split.view());
    gemm(example.a(), example.b(), floats.view());
    EXPECT_LT(squared_error(split, example), squared_error(floats, example));
  }
}

TEST_F(SplitGemm, RowsAndColumnsOfWeightsDoNotDependOnTheirNumber) {
  Example example({.rows = 100, .columns = 90, .depth = 300, .b = Layout::columns, .bias = true});
  Operand whole = example.before();
  split_gemm(example.a(), SplitWeights(example.b()), whole.view(), example.options());
  for (const int64_t rows : {1, 2, 15, 16, 17, 31, 32, 33, 64, 99})
    for (const int64_t columns : {1, 15, 16, 17, 33, 64, 90}) {
      Operand part = example.before();
      GemmOptions<float> options = example.options();
      options.bias = options.bias.first(static_cast<size_t>(columns));
      split_gemm(example.a().block(1, 0, rows, 300),
                 SplitWeights(example.b().block(0, 0, 300, columns)),
                 part.view().block(1, 0, rows, columns), options);
      for (int64_t r = 1; r <= rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
          ASSERT_EQ(part.view()(r, c), whole.view()(r, c)) << rows << " rows, " << columns;
    }
}

TEST_F(SplitGemm, SplitWeightsGiveTheBitsOfTheWholeProduct) {
  Example example({.rows = 130, .columns = 800, .depth = 700, .a = Layout::far_columns});
  Operand c = example.before(), weighed = example.before();
  split_gemm(example.a(), example.b(), c.view());
  split_gemm(example.a(), SplitWeights(example.b()), weighed.view());
  EXPECT_EQ(c.elements(), weighed.elements());
}

TEST_F(SplitGemm, IsGemmWithoutTheUnitAndWhereItDoesNotPay) {
  Example large({.rows = 130, .columns = 128, .depth = 256}),
      small({.rows = 20, .columns = 128, .depth = 256});
  const auto products = [](Example& example) {
    Operand split = example.before(), floats = example.before();
    split_gemm(example.a(), example.b(), split.view());
    gemm(example.a(), example.b(), floats.view());
    return std::pair(split.elements(), floats.elements());
  };
  EXPECT_NE(products(large).first, products(large).second);
  EXPECT_EQ(products(small).first, products(small).second);
  use_matrix_unit(false);
  EXPECT_EQ(products(large).first, products(large).second);
  EXPECT_FALSE(has_matrix_unit());
}

TEST_F(SplitGemm, ColumnsDoNotMeet) {
  Operand a(100, 80, Layout::rows, 1), b(80, 90, Layout::rows, 2), c(100, 90, Layout::rows, 3);
  b.view()(3, 7) = std::numeric_limits<float>::quiet_NaN();
  b.view()(3, 8) = std::numeric_limits<float>::infinity();
  split_gemm(a.view(), b.view(), c.view());
  for (int64_t r = 0; r < 100; ++r)
    for (int64_t column = 0; column < 90; ++column)
      EXPECT_EQ(std::isnan(c.view()(r, column)), column == 7 || column == 8);
}

// The smallest and the largest numbers that products meet.
TEST_F(SplitGemm, SmallAndLargeNumbersKeepTheirBits) {
  for (const float scale : {1e-30f, 1e-15f, 1e15f, 1e30f}) {
    Operand a(100, 70, Layout::rows, 1), b(70, 80, Layout::rows, 2), c(100, 80, Layout::rows, 3);
    const MatrixView<float> small = a.view();
    for (int64_t r = 0; r < 100; ++r)
      for (int64_t k = 0; k < 70; ++k) small(r, k) *= scale;
    split_gemm(a.view(), b.view(), c.view());
    for (int64_t r = 0; r < 100; ++r)
      for (int64_t column = 0; column < 80; ++column) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < 70; ++k) {
          sum += double{small(r, k)} * b.view()(k, column);
          size += std::abs(double{small(r, k)} * b.view()(k, column));
        }
        ASSERT_NEAR(c.view()(r, column), sum, size * 1e-6);
      }
  }
}

TEST_F(SplitGemm, ThreadsDoNotShareTiles) {
  Example example(
      {.rows = 150, .columns = 300, .depth = 500, .a = Layout::far_columns, .b = Layout::columns});
  std::vector<Operand> results(4, example.before());
  std::vector<std::thread> threads;
  for (Operand& c : results)
    threads.emplace_back([&example, &c] {
      for (int i = 0; i < 20; ++i) split_gemm(example.a(), example.b(), c.view());
    });
  for (std::thread& thread : threads) thread.join();
  for (Operand& c : results) example.expect_in(c);
}

TEST(SplitGemmOfDoubles, IsTheReference) {
  const std::vector<double> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<double> c(4);
  split_gemm(matrix<const double>(a.data(), 2, 2), matrix<const double>(b.data(), 2, 2),
             matrix(c.data(), 2, 2));
  EXPECT_EQ(c, (std::vector<double>{19, 22, 43, 50}));
}

}  // namespace
}  // namespace heed::kernels
