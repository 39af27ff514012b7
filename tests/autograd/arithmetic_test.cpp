#include "heed/autograd/arithmetic.h"

#include <gtest/gtest.h>

#include <vector>

#include "close.h"
#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::close;
using testing::error_of;
using testing::random_tensor;
using testing::values_of;
using Values = std::vector<double>;

class Arithmetic : public ::testing::Test {
 protected:
  Variable watch(Shape shape, std::initializer_list<float> values) {
    return tape.watch(Tensor::of(shape, values));
  }
  Tape tape;
};

TEST_F(Arithmetic, AddsElementByElement) {
  const Variable a = watch({2}, {1, 2}), b = watch({2}, {10, 20});
  const Variable y = add(a, b);
  EXPECT_EQ(values_of(y.value()), (Values{11, 22}));
  tape.backward(y, Tensor::of({2}, {3, 4}));
  EXPECT_EQ(values_of(a.gradient()), (Values{3, 4}));
  EXPECT_EQ(values_of(b.gradient()), (Values{3, 4}));
}

TEST_F(Arithmetic, SubtractsElementByElement) {
  const Variable a = watch({2}, {1, 2}), b = watch({2}, {10, 30});
  const Variable y = subtract(a, b);
  EXPECT_EQ(values_of(y.value()), (Values{-9, -28}));
  tape.backward(y, Tensor::of({2}, {3, 4}));
  EXPECT_EQ(values_of(a.gradient()), (Values{3, 4}));
  EXPECT_EQ(values_of(b.gradient()), (Values{-3, -4}));
}

TEST_F(Arithmetic, GivesZeroMinusItself) {
  const Variable a = watch({2}, {1, 2});
  const Variable y = subtract(a, a);
  EXPECT_EQ(values_of(y.value()), (Values{0, 0}));
  tape.backward(y, Tensor::of({2}, {3, 4}));
  EXPECT_EQ(values_of(a.gradient()), (Values{0, 0}));
}

TEST_F(Arithmetic, MultipliesElementByElement) {
  const Variable a = watch({2}, {2, 3}), b = watch({2}, {10, 20});
  const Variable y = multiply(a, b);
  EXPECT_EQ(values_of(y.value()), (Values{20, 60}));
  tape.backward(y, Tensor::of({2}, {1, 2}));
  EXPECT_EQ(values_of(a.gradient()), (Values{10, 40}));
  EXPECT_EQ(values_of(b.gradient()), (Values{2, 6}));
}

TEST_F(Arithmetic, MultipliesByAConstantWithoutAGradientOfIt) {
  const Variable a = watch({2}, {2, 3});
  const Variable fixed = tape.constant(Tensor::of({2}, {10, 20}));
  tape.backward(sum(multiply(a, fixed)));
  EXPECT_EQ(values_of(a.gradient()), (Values{10, 20}));
  EXPECT_FALSE(fixed.needs_gradient());
}

TEST_F(Arithmetic, ScalesByANumber) {
  const Variable x = watch({2}, {1, -2});
  const Variable y = scale(x, -0.5);
  EXPECT_EQ(values_of(y.value()), (Values{-0.5, 1}));
  tape.backward(y, Tensor::of({2}, {2, 4}));
  EXPECT_EQ(values_of(x.gradient()), (Values{-1, -2}));
}

TEST_F(Arithmetic, AddsABiasToEachRow) {
  const Variable x = watch({2, 1, 3}, {1, 2, 3, 4, 5, 6}), bias = watch({3}, {10, 20, 30});
  const Variable y = add_to_rows(x, bias);
  EXPECT_EQ(y.shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(values_of(y.value()), (Values{11, 22, 33, 14, 25, 36}));
  tape.backward(y, Tensor::of({2, 1, 3}, {1, 2, 3, 10, 20, 30}));
  EXPECT_EQ(values_of(x.gradient()), (Values{1, 2, 3, 10, 20, 30}));
  EXPECT_EQ(values_of(bias.gradient()), (Values{11, 22, 33}));
}

TEST_F(Arithmetic, SumsToOneNumber) {
  const Variable x = watch({2, 2}, {1, 2, 3, 4});
  const Variable y = sum(x);
  EXPECT_EQ(y.shape(), Shape{});
  EXPECT_EQ(values_of(y.value()), Values{10});
  tape.backward(y, Tensor::of({}, {3}));
  EXPECT_EQ(values_of(x.gradient()), (Values{3, 3, 3, 3}));
}

TEST_F(Arithmetic, SumsNothingToZero) {
  EXPECT_EQ(values_of(sum(watch({0, 3}, {})).value()), Values{0});
}

TEST_F(Arithmetic, SumsManyFloatsWithoutLosingDigits) {
  // A running float sum of 2^24 + 1000 ones would stop at 2^24.
  const Variable x = tape.constant(Tensor::full({(1 << 24) + 1000}, 1));
  EXPECT_EQ(sum(x).value()[0], (1 << 24) + 1000);
}

TEST_F(Arithmetic, TakesTheMean) {
  const Variable x = watch({2, 2}, {1, 2, 3, 6});
  const Variable y = mean(x);
  EXPECT_EQ(values_of(y.value()), Values{3});
  tape.backward(y);
  EXPECT_EQ(values_of(x.gradient()), (Values{0.25, 0.25, 0.25, 0.25}));
}

TEST_F(Arithmetic, HasNoMeanOfNothing) {
  EXPECT_EQ(error_of([&] { (void)mean(watch({0, 3}, {})); }), "mean: shape (0, 3) has no elements");
}

TEST_F(Arithmetic, TakesTheMeanSquaredError) {
  const Variable x = watch({2}, {1, 2}), target = watch({2}, {2, 5});
  const Variable y = mean_squared_error(x, target);
  EXPECT_EQ(values_of(y.value()), Values{5});
  tape.backward(y);
  EXPECT_EQ(values_of(x.gradient()), (Values{-1, -3}));
  EXPECT_EQ(values_of(target.gradient()), (Values{1, 3}));
}

TEST_F(Arithmetic, AgreesWithPlainLoopsOnLongInputs) {
  const Tensor p = random_tensor({7, 143}, 1), q = random_tensor({7, 143}, 2);
  const Variable a = tape.watch(p), b = tape.watch(q);
  Values sums, differences, products;
  for (int64_t i = 0; i < p.elements(); ++i) {
    sums.push_back(p[i] + q[i]);
    differences.push_back(p[i] - q[i]);
    products.push_back(p[i] * q[i]);
  }
  EXPECT_TRUE(close(values_of(add(a, b).value()), sums, 1e-6, 1e-6));
  EXPECT_TRUE(close(values_of(subtract(a, b).value()), differences, 1e-6, 1e-6));
  EXPECT_TRUE(close(values_of(multiply(a, b).value()), products, 1e-6, 1e-6));
}

TEST_F(Arithmetic, RefusesOperandsThatDiffer) {
  const Variable a = watch({2}, {1, 2}), b = watch({3}, {1, 2, 3});
  const Variable wide = tape.watch(Tensor::zeros({2}, Type::float64));
  EXPECT_EQ(error_of([&] { (void)add(a, b); }), "add: shapes (2) and (3)");
  EXPECT_EQ(error_of([&] { (void)add(a, wide); }), "add: types float32 and float64");
  EXPECT_EQ(error_of([&] { (void)subtract(a, b); }), "subtract: shapes (2) and (3)");
  EXPECT_EQ(error_of([&] { (void)subtract(a, wide); }), "subtract: types float32 and float64");
  EXPECT_EQ(error_of([&] { (void)multiply(b, a); }), "multiply: shapes (3) and (2)");
  EXPECT_EQ(error_of([&] { (void)multiply(wide, a); }), "multiply: types float64 and float32");
  EXPECT_EQ(error_of([&] { (void)mean_squared_error(a, b); }),
            "mean_squared_error: shapes (2) and (3)");
  EXPECT_EQ(error_of([&] { (void)mean_squared_error(a, wide); }),
            "mean_squared_error: types float32 and float64");
}

TEST_F(Arithmetic, RefusesABiasThatDoesNotFit) {
  const Variable x = watch({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(error_of([&] {
              (void)add_to_rows(x, watch({3}, {1, 2, 3}));
            }),
            "add_to_rows: a bias of shape (3) for rows of (2, 2)");
  EXPECT_EQ(error_of([&] {
              (void)add_to_rows(x, watch({1, 2}, {1, 2}));
            }),
            "add_to_rows: a bias of shape (1, 2) for rows of (2, 2)");
  EXPECT_EQ(error_of([&] { (void)add_to_rows(x, tape.watch(Tensor::zeros({2}, Type::float64))); }),
            "add_to_rows: types float32 and float64");
}

TEST_F(Arithmetic, RefusesAbsentOperands) {
  const Variable one = watch({}, {1});
  EXPECT_EQ(error_of([&] { (void)add(one, Variable()); }), "add: an operand is absent");
  EXPECT_EQ(error_of([&] { (void)multiply(Variable(), one); }), "multiply: an operand is absent");
  EXPECT_EQ(error_of([&] { (void)scale(Variable(), 2); }),
            "variable: absent, so it is not on a tape");
}

}  // namespace
}  // namespace heed
