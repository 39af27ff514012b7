#include "heed/autograd/linear.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "close.h"
#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::close;
using testing::error_of;
using testing::random_tensor;
using testing::values_of;
using Values = std::vector<double>;

// (rows, k) (k, n), in plain loops.
Values product(const Values& a, const Values& b, size_t rows, size_t k, size_t n) {
  Values y(rows * n);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < n; ++c)
      for (size_t i = 0; i < k; ++i) y[r * n + c] += a[r * k + i] * b[i * n + c];
  return y;
}

Values transposed(const Values& x, size_t rows, size_t columns) {
  Values y(x.size());
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) y[c * rows + r] = x[r * columns + c];
  return y;
}

double activated(Activation kind, double x) {
  switch (kind) {
    case Activation::identity:
      return x;
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::gelu:
      return x * 0.5 * (1 + std::erf(x / std::numbers::sqrt2));
    case Activation::swish:
      return x / (1 + std::exp(-x));
  }
  return x;
}

constexpr Activation every_activation[] = {Activation::identity, Activation::relu,
                                           Activation::tanh,     Activation::sigmoid,
                                           Activation::gelu,     Activation::swish};

TEST(Linear, MultipliesByTheTransposedWeightAndAddsTheBias) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2, 2}, {1, 2, 3, 4}));
  const Variable weight = tape.watch(Tensor::of({3, 2}, {1, 0, 0, 1, 1, -1}));
  const Variable bias = tape.watch(Tensor::of({3}, {10, 20, 30}));
  const Variable y = linear(x, weight, bias);
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(y.value()), (Values{11, 22, 29, 13, 24, 29}));
  tape.backward(y, Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(x.gradient()), (Values{4, -1, 10, -1}));
  EXPECT_EQ(values_of(weight.gradient()), (Values{13, 18, 17, 24, 21, 30}));
  EXPECT_EQ(values_of(bias.gradient()), (Values{5, 7, 9}));
}

TEST(Linear, TakesAnyNumberOfLeadingAxes) {
  Tape tape;
  const Variable weight = tape.watch(random_tensor({5, 4}, 1));
  EXPECT_EQ(linear(tape.watch(random_tensor({4}, 2)), weight).shape(), (Shape{5}));
  EXPECT_EQ(linear(tape.watch(random_tensor({2, 3, 4}, 2)), weight).shape(), (Shape{2, 3, 5}));
  EXPECT_EQ(linear(tape.watch(Tensor::zeros({0, 4})), weight).shape(), (Shape{0, 5}));
}

TEST(Linear, AgreesWithPlainLoops) {
  const size_t rows = 33, inputs = 65, outputs = 31;
  const Tensor x = random_tensor({3, 11, 65}, 1), weight = random_tensor({31, 65}, 2);
  const Tensor bias = random_tensor({31}, 3), dy = random_tensor({3, 11, 31}, 4);
  Tape tape;
  tape.backward(linear(tape.watch(x), tape.watch(weight), tape.watch(bias)), dy);
  const Values dx = product(values_of(dy), values_of(weight), rows, outputs, inputs);
  const Values dweight =
      product(transposed(values_of(dy), rows, outputs), values_of(x), outputs, rows, inputs);
  EXPECT_TRUE(close(values_of(tape.gradient_of(x)), dx, 1e-5, 1e-4));
  EXPECT_TRUE(close(values_of(tape.gradient_of(weight)), dweight, 1e-5, 1e-4));
}

TEST(Linear, AppliesEveryActivationWithAndWithoutTheTape) {
  const Tensor x = random_tensor({9, 17}, 1), weight = random_tensor({21, 17}, 2),
               bias = random_tensor({21}, 3);
  for (const Activation kind : every_activation) {
    Values expected = product(values_of(x), transposed(values_of(weight), 21, 17), 9, 17, 21);
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = activated(kind, expected[i] + bias[static_cast<int64_t>(i % 21)]);
    for (const bool record : {true, false}) {
      Tape tape({.record = record});
      const Variable y = linear(tape.watch(x), tape.watch(weight), tape.watch(bias), kind);
      EXPECT_TRUE(close(values_of(y.value()), expected, 1e-5, 1e-5)) << static_cast<int>(kind);
    }
  }
}

TEST(Linear, IsTheActivationOfTheProduct) {
  for (const Activation kind : every_activation) {
    const Tensor x = random_tensor({4, 5}, 1), weight = random_tensor({6, 5}, 2),
                 bias = random_tensor({6}, 3);
    const Tensor dy = random_tensor({4, 6}, 4);
    Tape fused, composed;
    fused.backward(linear(fused.watch(x), fused.watch(weight), fused.watch(bias), kind), dy);
    const Variable z = linear(composed.watch(x), composed.watch(weight));
    composed.backward(activate(kind, add_to_rows(z, composed.watch(bias))), dy);
    for (const Tensor& input : {x, weight, bias})
      EXPECT_TRUE(close(values_of(fused.gradient_of(input)), values_of(composed.gradient_of(input)),
                        1e-5, 1e-5))
          << static_cast<int>(kind);
  }
}

TEST(Linear, CollectsTheGradientOfAWeightThatIsUsedTwice) {
  Tape tape;
  const Variable x = tape.constant(Tensor::of({1, 1}, {3}));
  const Variable weight = tape.watch(Tensor::of({1, 1}, {2}));
  const Variable bias = tape.watch(Tensor::of({1}, {1}));
  // w (w x + b) + b = 2 (2 · 3 + 1) + 1
  const Variable y = linear(linear(x, weight, bias), weight, bias);
  EXPECT_EQ(values_of(y.value()), Values{15});
  tape.backward(sum(y));
  EXPECT_EQ(values_of(weight.gradient()), Values{13});
  EXPECT_EQ(values_of(bias.gradient()), Values{3});
}

TEST(Linear, OfNoInputsIsTheBias) {
  Tape tape;
  const Variable y = linear(tape.watch(Tensor::zeros({2, 0})), tape.watch(Tensor::zeros({3, 0})),
                            tape.watch(Tensor::of({3}, {1, 2, 3})));
  EXPECT_EQ(values_of(y.value()), (Values{1, 2, 3, 1, 2, 3}));
  EXPECT_NO_THROW(tape.backward(y, Tensor::zeros({2, 3})));
}

TEST(Linear, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({2, 3})), weight = tape.watch(Tensor::zeros({4, 3}));
  const Variable wide = tape.watch(Tensor::zeros({4, 3}, Type::float64));
  EXPECT_EQ(error_of([&] {
              (void)linear(x, tape.watch(Tensor::zeros({3, 4})));
            }),
            "linear: input (2, 3) does not fit weight (3, 4)");
  EXPECT_EQ(error_of([&] { (void)linear(x, tape.watch(Tensor::zeros({3}))); }),
            "linear: input (2, 3) does not fit weight (3)");
  EXPECT_EQ(error_of([&] { (void)linear(tape.watch(Tensor::zeros({})), weight); }),
            "linear: input () does not fit weight (4, 3)");
  EXPECT_EQ(error_of([&] { (void)linear(x, Variable()); }),
            "linear: input (2, 3) does not fit weight ()");
  EXPECT_EQ(error_of([&] { (void)linear(x, weight, tape.watch(Tensor::zeros({3}))); }),
            "linear: bias (3) does not fit weight (4, 3)");
  EXPECT_EQ(error_of([&] { (void)linear(x, wide); }),
            "linear: input of type float32 but weight of type float64");
  EXPECT_EQ(
      error_of([&] { (void)linear(x, weight, tape.watch(Tensor::zeros({4}, Type::float64))); }),
      "linear: input of type float32 but bias of type float64");
}

TEST(Matmul, AgreesWithPlainLoops) {
  const Tensor a = random_tensor({2, 9, 17}, 1), b = random_tensor({17, 33}, 2),
               dy = random_tensor({2, 9, 33}, 3);
  Tape tape;
  const Variable y = matmul(tape.watch(a), tape.watch(b));
  EXPECT_EQ(y.shape(), (Shape{2, 9, 33}));
  EXPECT_TRUE(
      close(values_of(y.value()), product(values_of(a), values_of(b), 18, 17, 33), 1e-5, 1e-5));
  tape.backward(y, dy);
  EXPECT_TRUE(close(values_of(tape.gradient_of(a)),
                    product(values_of(dy), transposed(values_of(b), 17, 33), 18, 33, 17), 1e-5,
                    1e-4));
  EXPECT_TRUE(close(values_of(tape.gradient_of(b)),
                    product(transposed(values_of(a), 18, 17), values_of(dy), 17, 18, 33), 1e-5,
                    1e-4));
}

TEST(Matmul, OfAMatrixWithItself) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2, 2}, {1, 2, 3, 4}));
  tape.backward(sum(matmul(x, x)));
  EXPECT_EQ(values_of(x.gradient()), (Values{7, 11, 9, 13}));
}

TEST(Matmul, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable a = tape.watch(Tensor::zeros({2, 3}));
  EXPECT_EQ(error_of([&] {
              (void)matmul(a, tape.watch(Tensor::zeros({2, 3})));
            }),
            "matmul: (2, 3) does not fit (2, 3)");
  EXPECT_EQ(error_of([&] {
              (void)matmul(a, tape.watch(Tensor::zeros({1, 3, 2})));
            }),
            "matmul: (2, 3) does not fit (1, 3, 2)");
  EXPECT_EQ(error_of([&] {
              (void)matmul(a, tape.watch(Tensor::zeros({3, 2}, Type::float64)));
            }),
            "matmul: types float32 and float64");
}

TEST(Activate, AgreesWithTheFormulas) {
  const Tensor x = random_tensor({257}, 5);
  for (const Activation kind : every_activation) {
    Tape tape;
    const Variable y = activate(kind, tape.watch(x));
    Values expected, slopes;
    for (const double element : values_of(x)) {
      expected.push_back(activated(kind, element));
      slopes.push_back((activated(kind, element + 1e-6) - activated(kind, element - 1e-6)) / 2e-6);
    }
    EXPECT_TRUE(close(values_of(y.value()), expected, 1e-5, 1e-6)) << static_cast<int>(kind);
    tape.backward(y, Tensor::full({257}, 1));
    EXPECT_TRUE(close(values_of(tape.gradient_of(x)), slopes, 1e-4, 1e-5))
        << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace heed
