#include "heed/autograd/normalisation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

constexpr float nothing = -std::numeric_limits<float>::infinity();

TEST(Softmax, AgreesWithThePlainFormula) {
  const Tensor x = random_tensor({3, 2, 19}, 1);
  Tape tape;
  const Values y = values_of(softmax(tape.constant(x)).value());
  Values expected;
  for (int64_t row = 0; row < 6; ++row) {
    double total = 0;
    for (int64_t c = 0; c < 19; ++c) total += std::exp(x[row * 19 + c]);
    for (int64_t c = 0; c < 19; ++c) expected.push_back(std::exp(x[row * 19 + c]) / total);
  }
  EXPECT_TRUE(close(y, expected, 1e-5, 1e-7));
}

TEST(Softmax, SurvivesLargeNumbers) {
  Tape tape;
  const Variable y = softmax(tape.constant(Tensor::of({2, 2}, {1e30f, 1e30f, -3e38f, 3e38f})));
  EXPECT_TRUE(close(values_of(y.value()), Values{0.5, 0.5, 0, 1}, 1e-6, 0));
}

TEST(Softmax, GivesZerosWhereThereIsNothing) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2, 3}, {nothing, nothing, nothing, 1, nothing, 1}));
  const Variable y = softmax(x);
  EXPECT_TRUE(close(values_of(y.value()), Values{0, 0, 0, 0.5, 0, 0.5}, 1e-6, 0));
  tape.backward(y, Tensor::of({2, 3}, {1, 2, 3, 4, 5, 8}));
  EXPECT_TRUE(close(values_of(x.gradient()), Values{0, 0, 0, -1, 0, 1}, 1e-6, 0));
}

TEST(Softmax, TakesRowsOfNoneAndNoRows) {
  Tape tape;
  EXPECT_EQ(softmax(tape.watch(Tensor::zeros({0, 3}))).shape(), (Shape{0, 3}));
  EXPECT_EQ(softmax(tape.watch(Tensor::zeros({3, 0}))).shape(), (Shape{3, 0}));
}

TEST(LayerNorm, AgreesWithThePlainFormula) {
  const Tensor x = random_tensor({2, 3, 17}, 1), gain = random_tensor({17}, 2),
               bias = random_tensor({17}, 3);
  Tape tape;
  const Variable y = layer_norm(tape.constant(x), tape.constant(gain), tape.constant(bias), 0.25);
  EXPECT_EQ(y.shape(), x.shape());
  Values expected;
  for (int64_t row = 0; row < 6; ++row) {
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < 17; ++c) mean += x[row * 17 + c] / 17;
    for (int64_t c = 0; c < 17; ++c) variance += std::pow(x[row * 17 + c] - mean, 2) / 17;
    for (int64_t c = 0; c < 17; ++c)
      expected.push_back((x[row * 17 + c] - mean) / std::sqrt(variance + 0.25) * gain[c] + bias[c]);
  }
  EXPECT_TRUE(close(values_of(y.value()), expected, 1e-5, 1e-6));
}

TEST(LayerNorm, OfEqualNumbersIsTheBias) {
  Tape tape;
  const Variable y =
      layer_norm(tape.constant(Tensor::full({1, 4}, 3)), tape.constant(Tensor::full({4}, 2)),
                 tape.constant(Tensor::of({4}, {1, 2, 3, 4})));
  EXPECT_EQ(values_of(y.value()), (Values{1, 2, 3, 4}));
}

TEST(LayerNorm, AddsToGainsAndBiasesThatAreUsedTwice) {
  const Tensor x = random_tensor({3, 4}, 1), gain = random_tensor({4}, 2),
               bias = random_tensor({4}, 3);
  Tape once, twice;
  once.backward(sum(layer_norm(once.constant(x), once.watch(gain), once.watch(bias))));
  const auto again = [&] {
    return sum(layer_norm(twice.constant(x), twice.watch(gain), twice.watch(bias)));
  };
  twice.backward(add(again(), again()));
  for (const Tensor& parameter : {gain, bias}) {
    Values doubled = values_of(once.gradient_of(parameter));
    for (double& element : doubled) element *= 2;
    EXPECT_TRUE(close(values_of(twice.gradient_of(parameter)), doubled, 1e-5, 1e-6));
  }
}

TEST(LayerNorm, NeedsNoGradientOfItsGainAndBias) {
  const Tensor x = random_tensor({3, 4}, 1), gain = random_tensor({4}, 2),
               bias = random_tensor({4}, 3);
  const Tensor dy = random_tensor({3, 4}, 4);
  Tape all, some;
  all.backward(layer_norm(all.watch(x), all.watch(gain), all.watch(bias)), dy);
  some.backward(layer_norm(some.watch(x), some.constant(gain), some.constant(bias)), dy);
  EXPECT_EQ(values_of(some.gradient_of(x)), values_of(all.gradient_of(x)));
}

TEST(LayerNorm, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({2, 3})), three = tape.watch(Tensor::zeros({3}));
  const Variable four = tape.watch(Tensor::zeros({4})),
                 wide = tape.watch(Tensor::zeros({3}, Type::float64));
  EXPECT_EQ(error_of([&] { (void)layer_norm(x, four, three); }),
            "layer_norm: gain (4) and bias (3) do not fit rows of (2, 3)");
  EXPECT_EQ(error_of([&] { (void)layer_norm(x, three, Variable()); }),
            "layer_norm: gain (3) and bias () do not fit rows of (2, 3)");
  EXPECT_EQ(error_of([&] { (void)layer_norm(x, three, wide); }),
            "layer_norm: gain of type float32 and bias of type float64 for rows of type float32");
}

TEST(RmsNorm, AgreesWithThePlainFormula) {
  const Tensor x = random_tensor({2, 3, 17}, 1), gain = random_tensor({17}, 2);
  Tape tape;
  const Variable y = rms_norm(tape.constant(x), tape.constant(gain), 0.25);
  EXPECT_EQ(y.shape(), x.shape());
  Values expected;
  for (int64_t row = 0; row < 6; ++row) {
    double square = 0;
    for (int64_t c = 0; c < 17; ++c) square += std::pow(x[row * 17 + c], 2) / 17;
    for (int64_t c = 0; c < 17; ++c)
      expected.push_back(x[row * 17 + c] / std::sqrt(square + 0.25) * gain[c]);
  }
  EXPECT_TRUE(close(values_of(y.value()), expected, 1e-5, 1e-6));
}

TEST(RmsNorm, NeedsNoGradientOfItsGain) {
  const Tensor x = random_tensor({3, 4}, 1), gain = random_tensor({4}, 2);
  const Tensor dy = random_tensor({3, 4}, 4);
  Tape all, some;
  all.backward(rms_norm(all.watch(x), all.watch(gain)), dy);
  some.backward(rms_norm(some.watch(x), some.constant(gain)), dy);
  EXPECT_EQ(values_of(some.gradient_of(x)), values_of(all.gradient_of(x)));
}

TEST(RmsNorm, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({2, 3}));
  EXPECT_EQ(error_of([&] { (void)rms_norm(x, tape.watch(Tensor::zeros({4}))); }),
            "rms_norm: gain (4) does not fit rows of (2, 3)");
  EXPECT_EQ(error_of([&] { (void)rms_norm(x, tape.watch(Tensor::zeros({3}, Type::float64))); }),
            "rms_norm: gain of type float64 for rows of type float32");
}

TEST(UnitRows, HaveLengthOne) {
  Tape tape;
  const Variable y = unit_rows(tape.constant(Tensor::of({2, 2}, {3, 4, -5, 12})));
  EXPECT_TRUE(close(values_of(y.value()), Values{0.6, 0.8, -5.0 / 13, 12.0 / 13}, 1e-6, 0));
}

TEST(UnitRows, OnlyScaleRowsShorterThanEpsilon) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2, 2}, {0.3f, 0.4f, 0, 0}));
  const Variable y = unit_rows(x, 2.0);
  EXPECT_TRUE(close(values_of(y.value()), Values{0.15, 0.2, 0, 0}, 1e-6, 0));
  tape.backward(y, Tensor::of({2, 2}, {1, 2, 3, 4}));
  EXPECT_TRUE(close(values_of(x.gradient()), Values{0.5, 1, 1.5, 2}, 1e-6, 0));
}

TEST(UnitRows, LeaveZerosZero) {
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({1, 3}));
  const Variable y = unit_rows(x);
  EXPECT_EQ(values_of(y.value()), (Values{0, 0, 0}));
  tape.backward(y, Tensor::of({1, 3}, {1, 1, 1}));
  EXPECT_TRUE(close(values_of(x.gradient()), Values{1e8, 1e8, 1e8}, 1e-6, 0));
}

// What overflows must be seen: a row whose square leaves the range would otherwise become zeros.
TEST(UnitRows, OfNumbersThatAreTooLargeOrNoneAreNoNumbers) {
  for (const float odd : {1e25f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    Tape tape;
    const Variable x = tape.watch(Tensor::of({2, 2}, {3, 4, odd, 1}));
    const Variable y = unit_rows(x);
    tape.backward(y, Tensor::of({2, 2}, {1, 1, 1, 1}));
    for (const Tensor& found : {y.value(), x.gradient()})
      for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(std::isnan(found[i]), i >= 2) << odd;
  }
}

}  // namespace
}  // namespace heed
