#include "heed/attention/key_value_cache.h"

#include <gtest/gtest.h>

#include <map>

#include "error_of.h"
#include "heed/base/random.h"

namespace heed {
namespace {

using testing::error_of;

constexpr CacheSizes one_layer = {.layers = 1, .key_width = 1, .value_width = 2};

Ragged one_each(int64_t sequences) {
  return Ragged(std::vector<int64_t>(static_cast<size_t>(sequences), 1));
}

// A token that is told from all others in every layer: key (n + layer), value (-n, layer).
void store(KeyValueCache& cache, int64_t layer, const std::vector<float>& tokens) {
  const auto count = static_cast<int64_t>(tokens.size());
  Tensor keys = Tensor::uninitialised({count, 1}), values = Tensor::uninitialised({count, 2});
  for (int64_t i = 0; i < count; ++i) {
    const float number = tokens[static_cast<size_t>(i)];
    keys.matrix<float>()(i, 0) = number + static_cast<float>(layer);
    values.matrix<float>()(i, 0) = -number;
    values.matrix<float>()(i, 1) = static_cast<float>(layer);
  }
  cache.store(layer, keys, values);
}

void append(KeyValueCache& cache, const std::vector<float>& tokens) {
  cache.grow(one_each(cache.sequences()));
  store(cache, 0, tokens);
}

std::vector<float> tokens_of(const KeyValueCache& cache, int64_t sequence, int64_t layer = 0) {
  const auto length = static_cast<size_t>(cache.length(sequence));
  std::vector<const float*> keys(length), values(length);
  cache.locate(layer, sequence, keys, values);
  std::vector<float> tokens;
  for (size_t t = 0; t < length; ++t) {
    tokens.push_back(*keys[t] - static_cast<float>(layer));
    EXPECT_EQ(values[t][0], -tokens.back());
    EXPECT_EQ(values[t][1], static_cast<float>(layer));
  }
  return tokens;
}

TEST(KeyValueCache, BeginsEmpty) {
  const KeyValueCache cache(one_layer, 3);
  EXPECT_EQ(cache.sequences(), 3);
  EXPECT_EQ(cache.length(2), 0);
  EXPECT_EQ(KeyValueCache(one_layer).sequences(), 0);
}

TEST(KeyValueCache, KeepsTheTokensOfEachSequenceInOrder) {
  KeyValueCache cache(one_layer, 2);
  cache.grow(Ragged({2, 1}));
  store(cache, 0, {1, 2, 11});
  EXPECT_EQ(cache.first_positions(), (std::vector<int64_t>{0, 0}));
  cache.grow(Ragged({0, 2}));
  store(cache, 0, {12, 13});
  EXPECT_EQ(cache.first_positions(), (std::vector<int64_t>{2, 1}));
  append(cache, {3, 14});
  EXPECT_EQ(tokens_of(cache, 0), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(tokens_of(cache, 1), (std::vector<float>{11, 12, 13, 14}));
}

TEST(KeyValueCache, HasOneIndexForAllLayers) {
  KeyValueCache cache({.layers = 3, .key_width = 1, .value_width = 2}, 2);
  cache.grow(one_each(2));
  for (const int64_t layer : {2, 0, 1}) store(cache, layer, {5, 6});
  cache.select(std::vector<int64_t>{1, 0});
  for (const int64_t layer : {0, 1, 2}) {
    EXPECT_EQ(tokens_of(cache, 0, layer), (std::vector<float>{6}));
    EXPECT_EQ(tokens_of(cache, 1, layer), (std::vector<float>{5}));
  }
}

TEST(KeyValueCache, LeavesTokensWhereTheyAre) {
  KeyValueCache cache(one_layer, 2);
  append(cache, {1, 2});
  std::vector<const float*> key(1), value(1);
  cache.locate(0, 1, key, value);
  for (int t = 1; t < 300; ++t) {
    cache.select(std::vector<int64_t>{1, 1});
    append(cache, {3, 3});
  }
  std::vector<const float*> keys(300), values(300);
  for (const int64_t sequence : {0, 1}) {
    cache.locate(0, sequence, keys, values);
    EXPECT_EQ(keys[0], key[0]);
    EXPECT_EQ(values[0], value[0]);
    EXPECT_EQ(*keys[299], 3.0f);
  }
}

TEST(KeyValueCache, SequencesJoinAndLeave) {
  KeyValueCache cache(one_layer, 1);
  append(cache, {1});
  cache.add(2);
  append(cache, {2, 10, 20});
  EXPECT_EQ(tokens_of(cache, 0), (std::vector<float>{1, 2}));
  EXPECT_EQ(tokens_of(cache, 2), (std::vector<float>{20}));
  cache.select(std::vector<int64_t>{1, 2, 2});
  append(cache, {11, 21, 22});
  EXPECT_EQ(tokens_of(cache, 0), (std::vector<float>{10, 11}));
  EXPECT_EQ(tokens_of(cache, 1), (std::vector<float>{20, 21}));
  EXPECT_EQ(tokens_of(cache, 2), (std::vector<float>{20, 22}));
}

// Against a plain list of tokens for each sequence. Numbers of tokens never come again, so a place
// that is used while another sequence still has it would be seen.
TEST(KeyValueCache, IsWhatPlainListsAre) {
  Rng rng(1);
  KeyValueCache cache(one_layer, 0);
  std::vector<std::vector<float>> plain;
  float number = 0;
  for (int step = 0; step < 400; ++step) {
    const auto joining = rng.below(3);
    cache.add(static_cast<int64_t>(joining));
    plain.resize(plain.size() + joining);
    std::vector<float> tokens;
    for (std::vector<float>& sequence : plain) {
      tokens.push_back(++number);
      sequence.push_back(number);
    }
    append(cache, tokens);
    std::vector<int64_t> from;
    std::vector<std::vector<float>> kept;
    for (size_t s = 0; s < plain.size(); ++s)
      for (uint64_t copies = rng.below(8) * (plain.size() < 20 ? 3 : 2) / 8; copies > 0; --copies) {
        from.push_back(static_cast<int64_t>(s));
        kept.push_back(plain[s]);
      }
    cache.select(from);
    plain = kept;
    for (size_t s = 0; s < plain.size(); ++s)
      ASSERT_EQ(tokens_of(cache, static_cast<int64_t>(s)), plain[s]) << "step " << step;
  }
}

// A session goes on for ever; its memory may not.
TEST(KeyValueCache, UsesPlacesAgain) {
  KeyValueCache cache(one_layer, 0);
  std::map<const float*, int> places;
  for (int sentence = 0; sentence < 1000; ++sentence) {
    cache.add(1);
    for (int t = 0; t < 5; ++t) append(cache, {1});
    std::vector<const float*> keys(5), values(5);
    cache.locate(0, 0, keys, values);
    for (const float* key : keys) ++places[key];
    cache.select({});
  }
  EXPECT_LE(places.size(), 128u);
}

TEST(KeyValueCache, RefusesWhatDoesNotFit) {
  KeyValueCache cache({.layers = 1, .key_width = 3, .value_width = 1}, 2);
  EXPECT_EQ(error_of([&] { cache.grow(one_each(3)); }),
            "key-value cache: tokens for 3 sequences of 2");
  cache.grow(one_each(2));
  EXPECT_EQ(error_of([&] {
              cache.store(0, Tensor::zeros({3, 3}), Tensor::zeros({3, 1}));
            }),
            "key-value cache: keys (3, 3) and values (3, 1) do not fit 2 tokens of widths 3 and 1");
  EXPECT_EQ(
      error_of([&] {
        cache.store(0, Tensor::zeros({2, 3}, Type::float64), Tensor::zeros({2, 1}, Type::float64));
      }),
      "key-value cache: keys of type float64 and values of type float64 but float32 was "
      "expected");
  EXPECT_EQ(error_of([&] {
              cache.select(std::vector<int64_t>{0, 2});
            }),
            "key-value cache: sequence 2 of 2");
  EXPECT_EQ(error_of([] { KeyValueCache({.layers = 0, .key_width = 1, .value_width = 1}); }),
            "key-value cache: 0 layers of keys of width 1 and values of width 1");
}

}  // namespace
}  // namespace heed
