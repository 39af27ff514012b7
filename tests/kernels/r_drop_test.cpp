#include "heed/kernels/r_drop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/r_drop.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

constexpr size_t rows = 3;

// Exponentials of scores of many sizes, some of them too small for a float.
std::vector<float> exponentials(size_t columns, uint64_t seed) {
  std::vector<float> block = random_floats(rows * columns, seed, 8.0);
  for (size_t i = 0; i < block.size(); ++i) block[i] = i % 13 == 5 ? 0.0f : std::exp(block[i]);
  return block;
}

struct Sample {
  GuardedFloats first, second;
  std::vector<float> first_factors = {0.5f, 1e-3f, 0.01f}, second_factors = {0.2f, 1e-4f, 0.02f};
  std::vector<double> wide_first, wide_second, wide_first_factors, wide_second_factors;

  explicit Sample(size_t columns)
      : first(exponentials(columns, columns), columns % 3),
        second(exponentials(columns, columns + 1), columns % 5),
        wide_first(widened(first.view())),
        wide_second(widened(second.view())),
        wide_first_factors(widened(first_factors)),
        wide_second_factors(widened(second_factors)) {}

  PredictionPair<float> narrow() const {
    return {first.view(), second.view(), first_factors, second_factors};
  }
  PredictionPair<double> wide() const {
    return {wide_first, wide_second, wide_first_factors, wide_second_factors};
  }
};

TEST(RDrop, DivergencesOfAnyWidthAndAlignmentEqualTheReference) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes) {
      SCOPED_TRACE(::testing::Message() << columns << " columns");
      const Sample sample(columns);
      std::vector<Divergence> found(rows), expected(rows);
      add_divergences(sample.narrow(), found);
      reference::add_divergences(sample.wide(), std::span(expected));
      for (size_t r = 0; r < rows; ++r) {
        EXPECT_NEAR(found[r].of_first, expected[r].of_first,
                    1e-5 * (1 + std::abs(expected[r].of_first)));
        EXPECT_NEAR(found[r].of_second, expected[r].of_second,
                    1e-5 * (1 + std::abs(expected[r].of_second)));
      }
    }
  });
}

TEST(RDrop, GradientsOfAnyWidthAndAlignmentEqualTheReference) {
  for_every_target([] {
    const std::vector<Divergence> divergences = {{0.5, 0.25}, {2.0, 1.0}, {0.0, 0.1}};
    for (const size_t columns : awkward_sizes) {
      SCOPED_TRACE(::testing::Message() << columns << " columns");
      const Sample sample(columns);
      const std::vector<float> before = random_floats(rows * columns, 7, 1.0);
      GuardedFloats first(before, columns % 3), second(before, columns % 7);
      std::vector<double> expected_first = widened(before), expected_second = widened(before);
      add_r_drop_gradients(sample.narrow(), divergences, 5.0f, first.span(), second.span());
      reference::add_r_drop_gradients<double>(sample.wide(), divergences, 5.0, expected_first,
                                              expected_second);
      EXPECT_TRUE(close(first.view(), std::span<const double>(expected_first), 1e-4, 1e-5));
      EXPECT_TRUE(close(second.view(), std::span<const double>(expected_second), 1e-4, 1e-5));
      EXPECT_TRUE(first.intact());
      EXPECT_TRUE(second.intact());
    }
  });
}

TEST(RDrop, EqualPredictionsAgree) {
  for_every_target([] {
    const std::vector<float> block = {0.1f, 0.2f, 0.7f, 0.0f}, factors = {1.0f};
    const PredictionPair<float> pair = {block, block, factors, factors};
    std::vector<Divergence> found(1);
    add_divergences(pair, found);
    EXPECT_EQ(found[0].symmetric(), 0.0);
    std::vector<float> first(4), second(4);
    add_r_drop_gradients(pair, found, 5.0f, first, second);
    EXPECT_EQ(first, std::vector<float>(4));
    EXPECT_EQ(second, std::vector<float>(4));
  });
}

TEST(RDrop, NanStaysVisible) {
  for_every_target([] {
    std::vector<float> block(40, 0.5f);
    const std::vector<float> other = block, factors = {1.0f};
    block[37] = std::nanf("");
    std::vector<Divergence> found(1);
    add_divergences(PredictionPair<float>{block, other, factors, factors}, found);
    EXPECT_TRUE(std::isnan(found[0].symmetric()));
  });
}

}  // namespace
}  // namespace heed::kernels
