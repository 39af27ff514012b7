#include "heed/training/looked_up_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/models/transformer.h"
#include "heed/training/frozen_model.h"
#include "tiny_training.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;
using Steps = std::vector<std::vector<Batch>>;

constexpr int64_t width = 8;

TransformerConfig config_of(TiedEmbeddings tied) {
  return {.source_vocabulary = 20,
          .target_vocabulary = 20,
          .encoder_layers = 1,
          .decoder_layers = 1,
          .width = width,
          .ffn = 16,
          .heads = 2,
          .tied = tied};
}

Batch batch_of(const Ids& source, const Ids& target) {
  const auto sentences = [](const Ids& ids) { return join_sentences(std::vector<Ids>{ids}); };
  return {sentences(source), sentences(target)};
}

// Row numbers of a table that begins the flat array.
std::vector<int64_t> rows_in(const std::vector<Range>& stretches) {
  std::vector<int64_t> rows;
  for (const Range& stretch : stretches) {
    EXPECT_EQ(stretch.size(), width);
    EXPECT_EQ(stretch.begin % width, 0);
    rows.push_back(stretch.begin / width);
  }
  return rows;
}

TEST(LookedUpRows, AreThoseOfBothSidesWhereTheyShareATable) {
  Rng rng(1);
  Transformer model(config_of(TiedEmbeddings::all), rng);
  const FlatParameters parameters(model);
  LookedUpRows rows(model, parameters);
  EXPECT_EQ(rows.tables(), (std::vector<Range>{{0, 20 * width}}));
  // The decoder reads its start (the last id here) instead of the last token.
  const std::vector<Batch> first = {batch_of({7, 3, 7, 0}, {5, 3, 0}), batch_of({4, 0}, {0})},
                           second = {batch_of({9, 0}, {9, 0}), batch_of({4, 0}, {6, 0})};
  const int64_t start = Vocabulary::start_of(20);
  rows.begin(Steps{first, second}, {0, 1});
  ASSERT_EQ(rows.gradients().size(), 2U);
  std::vector<int64_t> expected = {0, 3, 5, 7, 9, start};
  std::ranges::sort(expected);
  EXPECT_EQ(rows_in(rows.gradients()[0].stretches()), expected);
  EXPECT_EQ(rows.gradients()[0].values().size(), expected.size() * width);
  EXPECT_TRUE(rows.gradients()[1].values().empty());  // another rank's
  expected = {0, 3, 4, 5, 6, 7, 9, start};
  std::ranges::sort(expected);
  EXPECT_EQ(rows_in(rows.rows_of({0, 2})), expected);
  EXPECT_EQ(rows.rows_of({1, 1}), std::vector<Range>());
}

TEST(LookedUpRows, AreOfSeveralTables) {
  Rng rng(1);
  Transformer model(config_of(TiedEmbeddings::none), rng);
  const FlatParameters parameters(model);
  LookedUpRows rows(model, parameters);
  EXPECT_EQ(rows.tables(), (std::vector<Range>{{0, 40 * width}}));  // beside each other
  rows.begin(Steps{{batch_of({7, 0}, {5, 0})}}, {0, 1});
  std::vector<int64_t> expected = {0, 7, 20 + 5, 20 + Vocabulary::start_of(20)};
  std::ranges::sort(expected);
  EXPECT_EQ(rows_in(rows.gradients()[0].stretches()), expected);
}

TEST(LookedUpRows, OfTablesThatDoNotLearnDoNotCount) {
  Rng rng(1);
  Transformer model(config_of(TiedEmbeddings::all), rng);
  const std::vector<std::string> frozen = {"embeddings"};
  FrozenModel part(model, frozen);
  const FlatParameters parameters(part);
  LookedUpRows rows(part, parameters);
  EXPECT_TRUE(rows.tables().empty());
  rows.begin(Steps{{batch_of({7, 0}, {5, 0})}}, {0, 1});
  EXPECT_TRUE(rows.gradients().empty());
  EXPECT_TRUE(rows.rows_of({0, 1}).empty());
}

}  // namespace
}  // namespace heed
