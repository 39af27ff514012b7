#define HWY_WANT_AVX3_DL  // as the products, so that every instruction set of theirs is tested

#include "heed/kernels/int8_gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "every_target.h"
#include "heed/kernels/reference/int8_gemm.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;

struct Case {
  int64_t rows, columns, depth;
  bool bias = false;
  Activation activation = Activation::identity;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.rows << " rows, " << c.columns << " columns, depth " << c.depth
       << (c.bias ? ", bias" : "") << ", activation " << static_cast<int>(c.activation);
}

size_t size(int64_t rows, int64_t columns) { return static_cast<size_t>(rows * columns); }

void expect_reference(const Case& how) {
  SCOPED_TRACE(::testing::PrintToString(how));
  const std::vector<float> a = random_floats(size(how.rows, how.depth), 1),
                           w = random_floats(size(how.columns, how.depth), 2, 0.1),
                           bias = random_floats(how.bias ? static_cast<size_t>(how.columns) : 0, 3);
  const MatrixView<const float> left = matrix(a.data(), how.rows, how.depth);
  // As layers keep them, (outputs, inputs).
  const MatrixView<const float> weights = matrix(w.data(), how.columns, how.depth).transposed();
  for_every_target([&] {
    std::vector<float> expected(size(how.rows, how.columns));
    reference::gemm_int8(left, weights, matrix(expected.data(), how.rows, how.columns), bias,
                         how.activation);
    // A gap of one between the rows, which nobody may touch.
    const int64_t stride = how.columns + 1;
    GuardedFloats c(std::vector<float>(size(how.rows, stride), 7.0f), 1);
    gemm_int8(left, Int8Weights(weights), {c.span().data(), how.rows, how.columns, stride, 1}, bias,
              how.activation);
    for (int64_t r = 0; r < how.rows; ++r) {
      for (int64_t k = 0; k < how.columns; ++k) {
        const float found = c.view()[size(r, stride) + static_cast<size_t>(k)],
                    wanted = expected[size(r, how.columns) + static_cast<size_t>(k)];
        ASSERT_NEAR(found, wanted, 1e-5 * (1 + std::abs(wanted))) << r << ", " << k;
      }
      ASSERT_EQ(c.view()[size(r, stride) + static_cast<size_t>(how.columns)], 7.0f);
    }
    EXPECT_TRUE(c.intact());
  });
}

TEST(Int8Gemm, SizesAroundTilesAndSlivers) {
  for (int64_t size = 1; size <= 19; ++size) {
    expect_reference({size, 17, 9});
    expect_reference({5, size, 9});
    expect_reference({7, 33, size});
  }
  for (const int64_t size : {31, 32, 33, 47, 48, 49, 63, 64, 65, 127, 128, 129, 1000}) {
    expect_reference({size, 13, 11});
    expect_reference({11, size, 13});
    expect_reference({13, 11, size});
  }
}

TEST(Int8Gemm, BiasAndActivation) {
  expect_reference({5, 40, 64, true});
  expect_reference({5, 40, 64, true, Activation::relu});
  expect_reference({9, 100, 64, true, Activation::gelu});
}

// Weights that were integers once become the same integers, and the same step, again and again.
TEST(Int8Scale, FindsItsOwnIntegersAgain) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const double deviation = std::pow(10.0, static_cast<double>(seed % 70) - 33.0);
    const std::vector<float> weights = random_floats(20, seed, deviation);
    const Int8Scale scale = Int8Scale::of(weights);
    std::vector<float> rounded;
    for (const float weight : weights)
      rounded.push_back(static_cast<float>(scale.integer(weight)) * scale.step);
    const Int8Scale again = Int8Scale::of(rounded);
    ASSERT_EQ(again.step, scale.step) << seed;
    for (size_t i = 0; i < weights.size(); ++i) {
      ASSERT_EQ(again.integer(rounded[i]), scale.integer(weights[i])) << seed;
      ASSERT_LE(std::abs(rounded[i] - weights[i]), 0.51f * scale.step + 1e-30f) << seed;
    }
  }
}

TEST(Int8Gemm, NothingIsNothing) {
  const Int8Weights weights(matrix<const float>(nullptr, 4, 0));
  EXPECT_FALSE(weights.present());
  gemm_int8({}, weights, {});
}

// The quantisation itself. For numbers like these, steps of 1/127 of a column's largest number add
// an error of 0.007; so do steps of 1/255 of a row's range, and twice as large ones one of 0.014.
TEST(Int8Gemm, IsCloseToTheProduct) {
  const int64_t rows = 16, columns = 48, depth = 512;
  const std::vector<float> a = random_floats(size(rows, depth), 1),
                           w = random_floats(size(depth, columns), 2);
  for_every_target([&] {
    std::vector<float> c(size(rows, columns));
    gemm_int8(matrix(a.data(), rows, depth), Int8Weights(matrix(w.data(), depth, columns)),
              matrix(c.data(), rows, columns));
    double error = 0, total = 0;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t k = 0; k < columns; ++k) {
        double sum = 0;
        for (int64_t p = 0; p < depth; ++p)
          sum += static_cast<double>(a[size(r, depth) + static_cast<size_t>(p)]) *
                 static_cast<double>(w[size(p, columns) + static_cast<size_t>(k)]);
        const float found = c[size(r, columns) + static_cast<size_t>(k)];
        error += std::pow(sum - static_cast<double>(found), 2);
        total += sum * sum;
      }
    EXPECT_LT(std::sqrt(error / total), largest_row_integer() == 255 ? 0.011 : 0.018);
  });
}

TEST(Int8Gemm, RowsOfOneNumberAndOfZerosAreExact) {
  for_every_target([] {
    const std::vector<float> a = {3.0f, 3.0f, 3.0f, 0.0f, 0.0f, 0.0f}, w = {127.0f, -64.0f, 1.0f};
    std::vector<float> c(2);
    gemm_int8(matrix(a.data(), 2, 3), Int8Weights(matrix(w.data(), 3, 1)), matrix(c.data(), 2, 1));
    EXPECT_EQ(c[0], 192.0f);
    EXPECT_EQ(c[1], 0.0f);
  });
}

// Where 16 bits hold the sums of two products, they could not if the integers were a bit larger.
TEST(Int8Gemm, TheLargestProductsDoNotOverflow) {
  for_every_target([] {
    const float largest = largest_row_integer();
    for (const float weight : {-127.0f, 127.0f}) {
      std::vector<float> a(64, largest), w(64, weight), c(1);
      a[0] = 0.0f;
      gemm_int8(matrix(a.data(), 1, 64), Int8Weights(matrix(w.data(), 64, 1)),
                matrix(c.data(), 1, 1));
      EXPECT_EQ(c[0], 63.0f * largest * weight);
    }
  });
}

// Weights of 127 have a step of 1, so that nothing is rounded.
TEST(Int8Gemm, NanAndInfinityStayVisible) {
  for_every_target([] {
    for (const float poison : {std::nanf(""), std::numeric_limits<float>::infinity()})
      for (size_t at = 0; at < 40; ++at) {
        // Weights of which integers are exact copies.
        std::vector<float> a(80, 0.5f), w(40, 127.0f), c(2);
        a[at] = poison;
        gemm_int8(matrix(a.data(), 2, 40), Int8Weights(matrix(w.data(), 40, 1)),
                  matrix(c.data(), 2, 1));
        EXPECT_TRUE(std::isnan(c[0])) << at;
        EXPECT_EQ(c[1], 2540.0f);
      }
  });
}

TEST(Int8Gemm, WeightsThatAreNoNumbersStayVisible) {
  for_every_target([] {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float poison : {std::nanf(""), infinity, -infinity})
      for (size_t at = 0; at < 40; ++at) {
        std::vector<float> a(40, 0.5f), w(80, 127.0f), c(2);
        w[2 * at] = poison;
        gemm_int8(matrix(a.data(), 1, 40), Int8Weights(matrix(w.data(), 40, 2)),
                  matrix(c.data(), 1, 2));
        EXPECT_TRUE(std::isnan(c[0])) << at;
        EXPECT_EQ(c[1], 2540.0f);
        const Int8Scale scale = Int8Scale::of(w);
        EXPECT_TRUE(std::isnan(scale.step));
        EXPECT_EQ(scale.integer(poison), 0);
      }
  });
}

}  // namespace
}  // namespace heed::kernels
