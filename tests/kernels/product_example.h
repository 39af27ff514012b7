// Operands in every layout, and what their product should be.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heed/kernels/gemm.h"
#include "heed/kernels/reference/gemm.h"
#include "samples.h"

namespace heed::testing {

using kernels::Activation;
using kernels::GemmOptions;
using kernels::matrix;
using kernels::MatrixView;

// Contiguous rows; contiguous columns, near each other or far apart; nothing contiguous, with near
// or far columns.
enum class Layout { rows, columns, far_columns, scattered, far_scattered };
inline constexpr std::array all_layouts = {Layout::rows, Layout::columns, Layout::far_columns,
                                           Layout::scattered, Layout::far_scattered};

// A matrix whose data is left to be filled in. Unused elements lie between its rows or columns.
inline MatrixView<float> laid_out(Layout layout, int64_t rows, int64_t columns) {
  switch (layout) {
    case Layout::rows:
      return {nullptr, rows, columns, columns + 3, 1};
    case Layout::columns:
      return {nullptr, rows, columns, 1, rows + 3};
    case Layout::far_columns:
      return {nullptr, rows, columns, 1, rows + 300};
    case Layout::scattered:
      return {nullptr, rows, columns, 2 * columns + 3, 2};
    case Layout::far_scattered:
      return {nullptr, rows, columns, 2, 2 * rows + 300};
  }
  return {};
}

// Random numbers as a matrix in any layout, off alignment.
class Operand {
 public:
  Operand(int64_t rows, int64_t columns, Layout layout, uint64_t seed)
      : view_(laid_out(layout, rows, columns)),
        floats_(
            random_floats(
                static_cast<size_t>(rows * view_.row_stride + columns * view_.column_stride), seed),
            1) {}

  MatrixView<float> view() {
    MatrixView<float> view = view_;
    view.data = floats_.span().data();
    return view;
  }

  std::vector<float> elements() {
    std::vector<float> all;
    for (int64_t r = 0; r < view_.rows; ++r)
      for (int64_t c = 0; c < view_.columns; ++c) all.push_back(view()(r, c));
    return all;
  }

  GuardedFloats& floats() { return floats_; }

 private:
  MatrixView<float> view_;
  GuardedFloats floats_;
};

struct Case {
  int64_t rows;
  int64_t columns;
  int64_t depth;
  Layout a = Layout::rows;
  Layout b = Layout::rows;
  bool accumulate = false;
  bool bias = false;
  Activation activation = Activation::identity;
};

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << c.rows << " rows, " << c.columns << " columns, depth " << c.depth << ", layouts "
       << static_cast<int>(c.a) << " and " << static_cast<int>(c.b)
       << (c.accumulate ? ", accumulated" : "") << (c.bias ? ", bias" : "") << ", activation "
       << static_cast<int>(c.activation);
}

inline std::vector<double> reference_product(const Case& how, std::vector<double> a,
                                             std::vector<double> b, std::vector<double> bias,
                                             std::vector<double> c) {
  reference::gemm<double>(matrix<const double>(a.data(), how.rows, how.depth),
                          matrix<const double>(b.data(), how.depth, how.columns),
                          matrix(c.data(), how.rows, how.columns),
                          {how.accumulate, bias, how.activation});
  return c;
}

inline std::vector<double> magnitudes(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

// The operands of a case, what should come out, and by how much rounding may change it.
class Example {
 public:
  explicit Example(const Case& how)
      : how_(how),
        a_(how.rows, how.depth, how.a, 1),
        b_(how.depth, how.columns, how.b, 2),
        before_(how.rows, how.columns, Layout::rows, 3),
        bias_(random_floats(static_cast<size_t>(how.bias ? how.columns : 0), 4)) {
    const std::vector<double> a = widened(a_.elements()), b = widened(b_.elements()),
                              bias = widened(bias_), c = widened(before_.elements());
    expected_ = reference_product(how, a, b, bias, c);
    Case sizes = how;
    sizes.activation = Activation::identity;
    // Each element is a sum of depth + 2 terms, each term rounded a few times and each partial sum
    // once.
    tolerance_ =
        reference_product(sizes, magnitudes(a), magnitudes(b), magnitudes(bias), magnitudes(c));
    const double rounding =
        static_cast<double>(how.depth + 8) * std::numeric_limits<float>::epsilon();
    for (double& value : tolerance_)
      value = rounding * value + (how.activation == Activation::identity ? 0 : 1e-5);
  }

  MatrixView<const float> a() { return a_.view(); }
  MatrixView<const float> b() { return b_.view(); }
  Operand before() const { return before_; }
  const std::vector<double>& expected() const { return expected_; }
  GemmOptions<float> options() const { return {how_.accumulate, bias_, how_.activation}; }

  void expect_in(Operand& c) {
    const std::vector<float> found = c.elements();
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected_[i], tolerance_[i])
          << "element " << i << " of " << found.size();
    EXPECT_TRUE(c.floats().intact());
    expect_gaps_untouched(c);
  }

 private:
  void expect_gaps_untouched(Operand& c) {
    const MatrixView<float> after = c.view(), before = before_.view();
    for (int64_t r = 0; r < after.rows; ++r)
      for (int64_t gap = after.columns; gap < after.row_stride; ++gap)
        ASSERT_EQ(after(r, gap), before(r, gap));
  }

  Case how_;
  Operand a_, b_, before_;
  std::vector<float> bias_;
  std::vector<double> expected_, tolerance_;
};

inline std::vector<Case> sizes_around_tiles_and_blocks() {
  std::vector<Case> cases;
  for (int64_t size = 1; size <= 19; ++size) {
    cases.push_back({size, 17, 9});
    cases.push_back({5, size, 9});
    cases.push_back({7, 33, size});
  }
  for (int64_t size : {31,  32,  33,  47,  48,  49,  63,  64,  65,  97,
                       127, 128, 129, 255, 257, 383, 385, 479, 481, 1000}) {
    cases.push_back({size, 13, 11});
    cases.push_back({11, size, 13});
    cases.push_back({13, 11, size});
  }
  cases.push_back({50, 1000, 770});
  cases.push_back({101, 503, 401});
  return cases;
}

inline std::vector<Case> layouts_of_the_operands() {
  std::vector<Case> cases;
  for (Layout a : all_layouts)
    for (Layout b : all_layouts) {
      cases.push_back({1, 1, 1, a, b});
      cases.push_back({17, 19, 23, a, b});
      cases.push_back({64, 48, 32, a, b});
      cases.push_back({37, 101, 300, a, b});
      cases.push_back({130, 70, 411, a, b});
    }
  // Several blocks of columns and of the depth.
  for (Layout a : {Layout::rows, Layout::far_columns})
    cases.push_back({130, 560, 800, a, Layout::rows});
  return cases;
}

inline std::vector<Case> options_of_the_product() {
  std::vector<Case> cases;
  for (int64_t depth : {0, 1, 65, 1000})
    for (bool bias : {false, true}) {
      for (bool accumulate : {false, true}) {
        cases.push_back(
            {.rows = 19, .columns = 50, .depth = depth, .accumulate = accumulate, .bias = bias});
        cases.push_back(
            {.rows = 4, .columns = 48, .depth = depth, .accumulate = accumulate, .bias = bias});
      }
      for (Activation activation : {Activation::relu, Activation::tanh, Activation::sigmoid,
                                    Activation::gelu, Activation::swish})
        cases.push_back(
            {.rows = 9, .columns = 35, .depth = depth, .bias = bias, .activation = activation});
    }
  return cases;
}

}  // namespace heed::testing
