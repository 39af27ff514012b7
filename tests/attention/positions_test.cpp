#include "heed/attention/positions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attention_checks.h"
#include "error_of.h"
#include "heed/attention/attend.h"

namespace heed {
namespace {

using testing::close_tensors;
using testing::error_of;
using testing::random_tensor;
using testing::values_of;

double angle(int64_t position, int64_t pair, int64_t width) {
  return static_cast<double>(position) /
         std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(width));
}

TEST(SinusoidalPositions, AlternateSinesAndCosines) {
  for (const int64_t width : {6, 7}) {
    const Tensor table = sinusoidal_positions(50, width, SinusoidOrder::interleaved, Type::float64);
    ASSERT_EQ(table.shape(), (Shape{50, width}));
    for (int64_t p = 0; p < 50; ++p)
      for (int64_t c = 0; c < width; ++c) {
        const double expected =
            c % 2 == 0 ? std::sin(angle(p, c / 2, width)) : std::cos(angle(p, c / 2, width));
        EXPECT_NEAR(table[p * width + c], expected, 1e-12) << p << ", " << c;
      }
  }
}

TEST(SinusoidalPositions, MayHaveAllSinesFirst) {
  for (const int64_t width : {6, 7}) {
    const Tensor table = sinusoidal_positions(50, width, SinusoidOrder::sines_first, Type::float64);
    const int64_t sines = (width + 1) / 2;
    for (int64_t p = 0; p < 50; ++p)
      for (int64_t c = 0; c < width; ++c) {
        const double expected =
            c < sines ? std::sin(angle(p, c, width)) : std::cos(angle(p, c - sines, width));
        EXPECT_NEAR(table[p * width + c], expected, 1e-12) << p << ", " << c;
      }
  }
}

TEST(SinusoidalPositions, MayHaveTheWaveLengthsOfTensor2Tensor) {
  const int64_t width = 8, pairs = width / 2;
  const Tensor table = sinusoidal_positions(50, width, SinusoidOrder::sines_first, Type::float64, 0,
                                            SinusoidSpacing::tensor2tensor);
  for (int64_t p = 0; p < 50; ++p)
    for (int64_t c = 0; c < width; ++c) {
      const double pair = static_cast<double>(c % pairs);
      const double turned = static_cast<double>(p) * std::exp(-std::log(1e4) / 3 * pair);
      EXPECT_NEAR(table[p * width + c], c < pairs ? std::sin(turned) : std::cos(turned), 1e-12)
          << p << ", " << c;
    }
  for (const int64_t odd : {2, 7})
    EXPECT_EQ(error_of([&] {
                sinusoidal_positions(3, odd, SinusoidOrder::sines_first, Type::float32, 0,
                                     SinusoidSpacing::tensor2tensor);
              }),
              fmt::format("sinusoidal_positions: Tensor2Tensor's spacing needs an even width of at "
                          "least 4, not {}",
                          odd));
}

TEST(SinusoidalPositions, KeepTheirDigitsFarOut) {
  const Tensor table = sinusoidal_positions(100'000, 2);
  EXPECT_EQ(table.type(), Type::float32);
  EXPECT_NEAR(table[2 * 99'999], std::sin(99'999.0), 1e-6);
}

TEST(SinusoidalPositions, MayBeginFarOut) {
  const Tensor table =
      sinusoidal_positions(2, 2, SinusoidOrder::sines_first, Type::float64, 100'000'000);
  ASSERT_EQ(table.shape(), (Shape{2, 2}));
  EXPECT_NEAR(table[0], std::sin(100'000'000.0), 1e-12);
  EXPECT_NEAR(table[3], std::cos(100'000'001.0), 1e-12);
}

TEST(AddPositions, CountsFromTheStartOfEachSequence) {
  Tape tape;
  const Variable x = tape.constant(Tensor::zeros({5, 1}));
  const Variable table = tape.constant(Tensor::of({5, 1}, {10, 11, 12, 13, 14}));
  EXPECT_EQ(values_of(add_positions(x, Ragged({2, 0, 3}), table).value()),
            (std::vector<double>{10, 11, 10, 11, 12}));
  EXPECT_EQ(values_of(add_positions(x, Ragged({2, 0, 3}), table, 2).value()),
            (std::vector<double>{12, 13, 12, 13, 14}));
}

TEST(AddPositions, LearnsTheTable) {
  const GradientCheckResult result =
      check_gradients({random_tensor({5, 3}, 1), random_tensor({6, 3}, 2)},
                      [](Tape&, const std::vector<Variable>& inputs) {
                        return add_positions(inputs[0], Ragged({2, 0, 3}), inputs[1], 1);
                      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(AddPositions, SequencesBeginWhereTheyAre) {
  Tape tape;
  const Variable x = tape.constant(Tensor::zeros({3, 1})),
                 table = tape.constant(Tensor::of({4, 1}, {10, 11, 12, 13}));
  const Variable found = add_positions(x, Ragged({1, 2}), table, std::vector<int64_t>{3, 1});
  EXPECT_EQ(testing::values_of(found.value()), (std::vector<double>{13, 11, 12}));
}

TEST(Rotate, SequencesBeginWhereTheyAre) {
  Tape tape;
  const Tensor x = testing::random_tensor({5, 4}, 1);
  const Tensor together =
      rotate(tape.constant(x), Ragged({2, 3}), 2, std::vector<int64_t>{7, 0}).value();
  const Tensor first = rotate(tape.constant(x.slice(0, 2)), Ragged({2}), 2, 7).value(),
               second = rotate(tape.constant(x.slice(2, 5)), Ragged({3}), 2).value();
  EXPECT_EQ(testing::values_of(together.slice(0, 2)), testing::values_of(first));
  EXPECT_EQ(testing::values_of(together.slice(2, 5)), testing::values_of(second));
}

TEST(AddPositions, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.constant(Tensor::zeros({5, 4})),
                 table = tape.constant(Tensor::zeros({3, 4}));
  const Ragged layout({2, 3});
  EXPECT_EQ(error_of([&] {
              add_positions(x, Ragged({2, 2}), table);
            }),
            "add_positions: shape (5, 4) but (4, width) was expected");
  EXPECT_EQ(error_of([&] {
              add_positions(x, layout, tape.constant(Tensor::zeros({3, 5})));
            }),
            "add_positions: a table of shape (3, 5) but (positions, 4) was expected");
  EXPECT_EQ(error_of([&] {
              add_positions(x, layout, tape.constant(Tensor::zeros({3, 4}, Type::float64)));
            }),
            "add_positions: a table of type float64 for tokens of type float32");
  EXPECT_EQ(error_of([&] { add_positions(x, layout, table, 1); }),
            "add_positions: 3 positions from 1 on are needed but the table has 3");
  EXPECT_EQ(error_of([&] { add_positions(x, layout, table, -1); }),
            "add_positions: 2 positions from -1 on are needed but the table has 3");
  EXPECT_EQ(
      error_of([&] { add_positions(x, layout, table, std::numeric_limits<int64_t>::max()); }),
      "add_positions: 2 positions from 9223372036854775807 on are needed but the table has 3");
}

TEST(Rotate, TurnsEachPairByItsAngle) {
  Tape tape;
  const Tensor x = random_tensor({5, 8}, 1).to(Type::float64);
  const Ragged layout({2, 3});
  const Tensor y = rotate(tape.constant(x), layout, 2, 7).value();
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t pair = 0; pair < 4; ++pair) {
      const double turn = angle(7 + (t < 2 ? t : t - 2), pair % 2, 4);  // two heads of width 4
      const double a = x[t * 8 + 2 * pair], b = x[t * 8 + 2 * pair + 1];
      EXPECT_NEAR(y[t * 8 + 2 * pair], a * std::cos(turn) - b * std::sin(turn), 1e-12);
      EXPECT_NEAR(y[t * 8 + 2 * pair + 1], a * std::sin(turn) + b * std::cos(turn), 1e-12);
    }
}

TEST(Rotate, MakesScoresDependOnTheDistanceAlone) {
  Tape tape;
  const Variable x = tape.constant(random_tensor({6, 8}, 1).to(Type::float64));
  const Ragged layout({6});
  const auto weights = [&](int64_t first) {
    const Variable q = rotate(x, layout, 2, first), k = rotate(x, layout, 2, first);
    return attend({.queries = q, .keys = k, .values = x, .heads = 2, .want_weights = true}).weights;
  };
  EXPECT_TRUE(close_tensors(weights(0), weights(1234), 1e-9, 1e-9));
  const Variable shifted = rotate(x, layout, 2, 1);
  EXPECT_FALSE(close_tensors(weights(0), attend({.queries = shifted,
                                                 .keys = rotate(x, layout, 2),
                                                 .values = x,
                                                 .heads = 2,
                                                 .want_weights = true})
                                             .weights));
}

TEST(Rotate, DoesNotDependOnWhatWasRotatedBefore) {
  const auto rotated = [](int64_t tokens, int64_t width, int64_t first, double base) {
    Tape tape;
    const Variable x = tape.constant(testing::random_tensor({tokens, width}, 1));
    return testing::values_of(rotate(x, Ragged({tokens}), 1, first, base).value());
  };
  const std::vector<double> alone = rotated(5, 4, 7, 10000.0);
  rotated(5, 6, 0, 10000.0);  // another width
  EXPECT_EQ(rotated(5, 4, 7, 10000.0), alone);
  rotated(9, 4, 2, 100.0);  // another base
  EXPECT_EQ(rotated(5, 4, 7, 10000.0), alone);
  rotated(4, 4, 10, 10000.0);  // some of the positions, and others
  EXPECT_EQ(rotated(5, 4, 7, 10000.0), alone);
  rotated(300000, 4, 0, 10000.0);  // more than are kept
  rotated(2, 4, 600000, 10000.0);
  EXPECT_EQ(rotated(5, 4, 7, 10000.0), alone);
}

TEST(Rotate, LeavesThePositionZeroAlone) {
  Tape tape;
  const Tensor x = random_tensor({2, 4}, 1);
  EXPECT_TRUE(close_tensors(rotate(tape.constant(x), Ragged({1, 1}), 1).value(), x, 0, 0));
}

TEST(Rotate, Gradients) {
  const GradientCheckResult result =
      check_gradients({random_tensor({5, 8}, 1)}, [](Tape&, const std::vector<Variable>& inputs) {
        return rotate(inputs[0], Ragged({2, 0, 3}), 2, 3, 100.0);
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(Rotate, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.constant(Tensor::zeros({5, 6}));
  EXPECT_EQ(error_of([&] { rotate(x, Ragged({4}), 1); }),
            "rotate: shape (5, 6) but (4, width) was expected");
  EXPECT_EQ(error_of([&] { rotate(x, Ragged({5}), 2); }),
            "rotate: a width of 6 is not 2 heads of an even width");
  EXPECT_EQ(error_of([&] { rotate(x, Ragged({5}), 0); }),
            "rotate: a width of 6 is not 0 heads of an even width");
}

// What the bias adds at distance 1: minus the slope of each head.
std::vector<double> alibi_slopes(int64_t heads) {
  Tape tape;
  const DistanceBias bias = alibi(tape, heads, 4, Type::float64);
  std::vector<double> slopes;
  for (int64_t h = 0; h < heads; ++h)
    slopes.push_back(-bias.table.value()[h * 9 + bias.origin + 1]);
  return slopes;
}

TEST(Alibi, HasTheSlopesOfItsPaper) {
  EXPECT_EQ(alibi_slopes(1), (std::vector<double>{std::exp2(-8)}));
  EXPECT_EQ(alibi_slopes(8), (std::vector<double>{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625,
                                                  0.0078125, 0.00390625}));
  // Twelve heads: the slopes of eight, then every other one of sixteen.
  std::vector<double> twelve = alibi_slopes(8);
  for (const double exponent : {0.5, 1.5, 2.5, 3.5}) twelve.push_back(std::exp2(-exponent));
  EXPECT_TRUE(testing::close(alibi_slopes(12), twelve, 1e-12, 0));
}

TEST(Alibi, FallsWithTheDistanceToBothSides) {
  Tape tape;
  const DistanceBias bias = alibi(tape, 2, 2);
  EXPECT_EQ(bias.origin, 2);
  EXPECT_FALSE(bias.table.needs_gradient());
  const float first = 1.0f / 16, second = 1.0f / 256;
  EXPECT_TRUE(close_tensors(bias.table.value(),
                            Tensor::of({2, 5}, {-2 * first, -first, 0, -first, -2 * first,
                                                -2 * second, -second, 0, -second, -2 * second})));
  EXPECT_EQ(error_of([&] { alibi(tape, 0, 2); }), "alibi: 0 heads and a maximum distance of 2");
  EXPECT_EQ(error_of([&] { alibi(tape, 2, -1); }), "alibi: 2 heads and a maximum distance of -1");
}

TEST(Alibi, IsABiasOfDistances) {
  Tape tape;
  const Variable x = tape.constant(random_tensor({6, 8}, 1));
  Tensor bias = Tensor::uninitialised({1, 2, 6, 6});
  for (int64_t i = 0; i < 72; ++i) {
    const double slope = i < 36 ? 1.0 / 16 : 1.0 / 256;
    const auto distance = static_cast<double>(std::abs(i / 6 % 6 - i % 6));
    bias.data<float>()[i] = static_cast<float>(-slope * distance);
  }
  const auto output = [&](const Mask& mask) {
    return attend({.queries = x, .keys = x, .values = x, .mask = mask, .heads = 2}).output.value();
  };
  EXPECT_TRUE(close_tensors(output({.distance_bias = alibi(tape, 2, 5)}),
                            output({.bias = tape.constant(bias)})));
}

TEST(RelativeBias, AddsANumberPerDistanceAndClampsIt) {
  Tape tape;
  const Variable x = tape.constant(Tensor::zeros({5, 4}));
  const DistanceBias relative = relative_bias(tape.constant(Tensor::of({1, 3}, {1, 2, 3})));
  EXPECT_EQ(relative.origin, 1);
  const Tensor weights = attend({.queries = x,
                                 .keys = x,
                                 .values = x,
                                 .mask = {.distance_bias = relative},
                                 .want_weights = true})
                             .weights;
  // Keys before the query have e, the same position e², keys after it e³.
  for (int64_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 5; ++j) sum += std::exp(j < i ? 1 : j == i ? 2 : 3);
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_NEAR(weights[i * 5 + j], std::exp(j < i ? 1 : j == i ? 2 : 3) / sum, 1e-6);
  }
  EXPECT_EQ(
      error_of([&] {
        relative_bias(tape.constant(Tensor::zeros({2, 4})));
      }),
      "relative_bias: a table of shape (2, 4) but (heads, 2 × max_distance + 1) was expected");
  EXPECT_EQ(error_of([&] { relative_bias(tape.constant(Tensor::zeros({3}))); }),
            "relative_bias: a table of shape (3) but (heads, 2 × max_distance + 1) was expected");
}

TEST(RelativeBias, LearnsItsTable) {
  const GradientCheckResult result = check_gradients(
      {random_tensor({6, 4}, 1), random_tensor({2, 5}, 2)},
      [](Tape&, const std::vector<Variable>& inputs) {
        return attend({.queries = inputs[0],
                       .keys = inputs[0],
                       .values = inputs[0],
                       .mask = {.causal = true, .distance_bias = relative_bias(inputs[1])},
                       .heads = 2})
            .output;
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

}  // namespace
}  // namespace heed
