#include "heed/attention/head_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "error_of.h"
#include "heed/base/random.h"
#include "heed/tensor/tensor.h"

namespace heed {
namespace {

using heed::testing::error_of;

HeadFigures figures(const Tensor& weights, const HeadTokens& tokens) {
  return figures_of(sum_head(weights.matrix<float>(), tokens));
}

void expect_share(const HeadFigures& found, KeyPlace place, double weight, double largest) {
  ASSERT_TRUE(found.share(place).has_value());
  EXPECT_NEAR(found.share(place)->weight, weight, 1e-7);
  EXPECT_NEAR(found.share(place)->largest, largest, 1e-7);
}

TEST(HeadStatistics, OfTheEncoder) {
  const Tensor weights = Tensor::of({3, 3}, {0.5, 0.25, 0.25,  //
                                             0.75, 0.25, 0,    //
                                             0.125, 0.75, 0.125});
  const HeadFigures found = figures(weights, {.part = AttentionPart::encoder});
  EXPECT_NEAR(found.confidence, 2.0 / 3, 1e-9);
  EXPECT_NEAR(found.distance, (0.75 + 0.75 + 1.0) / 3, 1e-9);
  const double ln2 = std::log(2.0), low = 0.75 * std::log(0.75);
  EXPECT_NEAR(found.entropy, (1.5 * ln2 + (0.5 * ln2 - low) + (0.75 * ln2 - low)) / 3, 1e-9);
  EXPECT_NEAR(found.coverage, 2.0 / 3, 1e-9);
  expect_share(found, KeyPlace::previous, (0.75 + 0.75) / 2, 1);  // the first has none
  expect_share(found, KeyPlace::next, (0.25 + 0) / 2, 0);         // nor has the last
  expect_share(found, KeyPlace::same, (0.5 + 0.25 + 0.125) / 3, 1.0 / 3);
  expect_share(found, KeyPlace::first, (0.5 + 0.75 + 0.125) / 3, 2.0 / 3);
  expect_share(found, KeyPlace::end, (0.25 + 0 + 0.125) / 3, 0);
  EXPECT_FALSE(found.share(KeyPlace::rare));
  EXPECT_FALSE(
      figures(weights, {.part = AttentionPart::encoder, .ends = false}).share(KeyPlace::end));
}

// A row belongs to the token that is predicted, so that the last token that was read is the one
// before it. The end is never read.
TEST(HeadStatistics, OfTheDecoder) {
  const Tensor weights = Tensor::of({3, 3}, {1, 0, 0,        //
                                             0.25, 0.75, 0,  //
                                             0.5, 0.25, 0.25});
  const HeadFigures found = figures(weights, {.part = AttentionPart::decoder});
  expect_share(found, KeyPlace::previous, (1 + 0.75 + 0.25) / 3, 2.0 / 3);
  expect_share(found, KeyPlace::first, (1 + 0.25 + 0.5) / 3, 2.0 / 3);
  EXPECT_FALSE(found.share(KeyPlace::next));
  EXPECT_FALSE(found.share(KeyPlace::same));
  EXPECT_FALSE(found.share(KeyPlace::end));
  EXPECT_NEAR(found.distance, (1 + (0.5 + 0.75) + (1.5 + 0.5 + 0.25)) / 3, 1e-9);
}

TEST(HeadStatistics, OfRareWords) {
  const Tensor weights = Tensor::of({3, 3}, {0.5, 0.25, 0.25,  //
                                             0.75, 0.25, 0,    //
                                             0.125, 0.75, 0.125});
  // The end is special, and the first token is rarer than the second.
  const std::vector<int64_t> occurrences = {2, 9, 0};
  const HeadFigures found =
      figures(weights, {.part = AttentionPart::encoder, .occurrences = occurrences});
  expect_share(found, KeyPlace::rare, (0.5 + 0.75 + 0.125) / 3, 2.0 / 3);
  const std::vector<int64_t> equal = {2, 2, 0};
  EXPECT_FALSE(figures(weights, {.part = AttentionPart::encoder, .occurrences = equal})
                   .share(KeyPlace::rare));
  // A row of the decoder knows only what was read: here the last one alone has a choice.
  const Tensor causal = Tensor::of({3, 3}, {1, 0, 0, 0.5, 0.5, 0, 0.25, 0.5, 0.25});
  const std::vector<int64_t> read = {0, 3, 7};
  const HeadFigures decoder =
      figures(causal, {.part = AttentionPart::decoder, .occurrences = read});
  expect_share(decoder, KeyPlace::rare, 0.5, 1);
  EXPECT_EQ(error_of([&] {
              sum_head(weights.matrix<float>(), {.occurrences = std::span(equal).first(2)});
            }),
            "head statistics: occurrences of 2 tokens for 3 keys");
}

TEST(HeadStatistics, NothingIsNoFigure) {
  const Tensor none = Tensor::zeros({2, 0});
  const HeadFigures found = figures(none, {});
  EXPECT_EQ(found.confidence, 0);
  for (const KeyPlace place : all_key_places) EXPECT_FALSE(found.share(place));
}

// Weights at random against one loop over (row, key) with positions written out.
TEST(HeadStatistics, EqualsItsDefinition) {
  Rng rng(3);
  for (const AttentionPart part : all_attention_parts)
    for (int round = 0; round < 20; ++round) {
      const auto rows = static_cast<int64_t>(1 + rng.below(6));
      const int64_t keys =
          part == AttentionPart::cross ? static_cast<int64_t>(1 + rng.below(6)) : rows;
      const bool decoder = part == AttentionPart::decoder;
      Tensor weights = Tensor::zeros({rows, keys});
      std::map<int64_t, double> at;  // by distance
      double entropy = 0, distance = 0, end = 0;
      std::map<int64_t, int64_t> having;
      std::set<int64_t> best;
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t seen = decoder ? row + 1 : keys;
        double sum = 0;
        for (int64_t key = 0; key < seen; ++key) {
          weights.matrix<float>()(row, key) = static_cast<float>(rng.uniform());
          sum += static_cast<double>(weights.matrix<float>()(row, key));
        }
        int64_t largest = 0;
        for (int64_t key = 0; key < seen; ++key) {
          float& weight = weights.matrix<float>()(row, key);
          weight = static_cast<float>(static_cast<double>(weight) / sum);
          if (weight > weights.matrix<float>()(row, largest)) largest = key;
          const int64_t position = decoder ? key - 1 : key;
          at[position - row] += static_cast<double>(weight);
          ++having[position - row];
          entropy -= static_cast<double>(weight) * std::log(static_cast<double>(weight));
          distance += static_cast<double>(weight) * std::abs(static_cast<double>(position - row));
          if (key == keys - 1) end += static_cast<double>(weight);
        }
        best.insert(largest);
      }
      const HeadFigures found = figures(weights, {.part = part});
      const auto count = static_cast<double>(rows);
      EXPECT_NEAR(found.entropy, entropy / count, 1e-9);
      EXPECT_NEAR(found.distance, distance / count, 1e-9);
      EXPECT_NEAR(found.coverage,
                  static_cast<double>(best.size()) / static_cast<double>(std::min(rows, keys)),
                  1e-9);
      for (const auto& [place, offset] :
           {std::pair{KeyPlace::previous, -1}, {KeyPlace::same, 0}, {KeyPlace::next, 1}}) {
        ASSERT_EQ(found.share(place).has_value(), having[offset] > 0);
        if (having[offset] > 0) {
          EXPECT_NEAR(found.share(place)->weight, at[offset] / static_cast<double>(having[offset]),
                      1e-9);
        }
      }
      ASSERT_EQ(found.share(KeyPlace::end).has_value(), !decoder);
      if (!decoder) {
        EXPECT_NEAR(found.share(KeyPlace::end)->weight, end / count, 1e-9);
      }
    }
}

TEST(HeadStatistics, SumsAreOfAllSentences) {
  const Tensor one = Tensor::of({1, 2}, {0.25, 0.75}), other = Tensor::of({2, 2}, {1, 0, 0.5, 0.5});
  HeadSums sums = sum_head(one.matrix<float>(), {});
  sums += sum_head(other.matrix<float>(), {});
  const HeadFigures found = figures_of(sums);
  EXPECT_NEAR(found.confidence, (0.75 + 1 + 0.5) / 3, 1e-9);
  EXPECT_NEAR(found.coverage, (1 + 0.5) / 2, 1e-9);
  expect_share(found, KeyPlace::previous, 0.5, 1);
  expect_share(found, KeyPlace::first, (0.25 + 1 + 0.5) / 3, 2.0 / 3);
}

}  // namespace
}  // namespace heed
