#include "heed/attention/key_value_cache.h"

#include <gtest/gtest.h>

#include "attention_checks.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::close_tensors;
using testing::error_of;
using testing::random_tensor;
using testing::values_of;

// The tokens so far of one sequence, of (sequences, capacity, width).
std::vector<double> tokens_of(const Tensor& tensor, int64_t sequence, int64_t length) {
  const int64_t capacity = tensor.shape()[1], width = tensor.shape()[2];
  return values_of(tensor.reshape({tensor.shape()[0] * capacity, width})
                       .slice(sequence * capacity, sequence * capacity + length));
}

TEST(KeyValueCache, BeginsEmpty) {
  const KeyValueCache cache(3, 4, 2);
  EXPECT_EQ(cache.sequences(), 3);
  EXPECT_EQ(cache.length(), 0);
  EXPECT_EQ(cache.keys().shape(), (Shape{3, 0, 4}));
}

TEST(KeyValueCache, KeepsTheTokensOfEachSequenceInOrder) {
  KeyValueCache cache(2, 1, 2);
  cache.append(Tensor::of({4, 1}, {1, 2, 11, 12}),
               Tensor::of({4, 2}, {1, 1, 2, 2, 11, 11, 12, 12}));
  cache.append(Tensor::of({2, 1}, {3, 13}), Tensor::of({2, 2}, {3, 3, 13, 13}));
  EXPECT_EQ(cache.length(), 3);
  EXPECT_EQ(tokens_of(cache.keys(), 0, 3), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(tokens_of(cache.keys(), 1, 3), (std::vector<double>{11, 12, 13}));
  EXPECT_EQ(tokens_of(cache.values(), 0, 3), (std::vector<double>{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(tokens_of(cache.values(), 1, 3), (std::vector<double>{11, 11, 12, 12, 13, 13}));
}

TEST(KeyValueCache, LeavesTokensWhereTheyAre) {
  KeyValueCache cache(2, 1, 2);
  cache.append(Tensor::of({2, 1}, {1, 2}), Tensor::of({2, 2}, {1, 1, 2, 2}));
  std::vector<const float*> keys(1), values(1);
  cache.locate(1, keys, values);
  const float *key = keys[0], *value = values[0];
  EXPECT_EQ(*key, 2.0f);
  EXPECT_EQ(*value, 2.0f);
  for (int64_t t = 1; t < 100; ++t) {
    cache.select(std::vector<int64_t>{1, 1});
    cache.append(Tensor::full({2, 1}, 3), Tensor::full({2, 2}, 3));
  }
  keys.resize(100), values.resize(100);
  for (const int64_t sequence : {0, 1}) {
    cache.locate(sequence, keys, values);
    EXPECT_EQ(keys[0], key);
    EXPECT_EQ(values[0], value);
    EXPECT_EQ(*keys[99], 3.0f);
  }
}

TEST(KeyValueCache, SelectsCopiesOfSequences) {
  KeyValueCache cache(3, 1, 1);
  cache.append(Tensor::of({3, 1}, {1, 2, 3}), Tensor::of({3, 1}, {10, 20, 30}));
  cache.select(std::vector<int64_t>{2, 2, 0, 1});
  EXPECT_EQ(cache.sequences(), 4);
  cache.append(Tensor::of({4, 1}, {4, 5, 6, 7}), Tensor::of({4, 1}, {40, 50, 60, 70}));
  EXPECT_EQ(tokens_of(cache.keys(), 0, 2), (std::vector<double>{3, 4}));
  EXPECT_EQ(tokens_of(cache.keys(), 1, 2), (std::vector<double>{3, 5}));
  EXPECT_EQ(tokens_of(cache.keys(), 2, 2), (std::vector<double>{1, 6}));
  EXPECT_EQ(tokens_of(cache.values(), 3, 2), (std::vector<double>{20, 70}));
}

TEST(KeyValueCache, GrowsApartFromItsCopies) {
  KeyValueCache cache(1, 1, 1);
  const auto append = [](KeyValueCache& to, float number) {
    to.append(Tensor::of({1, 1}, {number}), Tensor::of({1, 1}, {number}));
  };
  append(cache, 1);
  KeyValueCache copy = cache, assigned(5, 5, 5);
  assigned = cache;
  append(cache, 2);
  append(copy, 3);
  append(assigned, 4);
  EXPECT_EQ(tokens_of(cache.keys(), 0, 2), (std::vector<double>{1, 2}));
  EXPECT_EQ(tokens_of(copy.keys(), 0, 2), (std::vector<double>{1, 3}));
  EXPECT_EQ(tokens_of(assigned.values(), 0, 2), (std::vector<double>{1, 4}));
}

TEST(KeyValueCache, RefusesWhatDoesNotFit) {
  KeyValueCache cache(2, 3, 1);
  const auto refusal = [&](const Tensor& keys, const Tensor& values) {
    return error_of([&] { cache.append(keys, values); });
  };
  EXPECT_EQ(
      refusal(Tensor::zeros({3, 3}), Tensor::zeros({3, 1})),
      "key-value cache: keys (3, 3) and values (3, 1) do not fit 2 sequences of widths 3 and 1");
  for (const auto& [keys, values] :
       {std::pair{Shape{2, 2}, Shape{2, 1}}, std::pair{Shape{2, 3}, Shape{2, 2}},
        std::pair{Shape{2, 3}, Shape{4, 1}}, std::pair{Shape{1, 2, 3}, Shape{2, 1}}})
    EXPECT_TRUE(
        refusal(Tensor::zeros(keys), Tensor::zeros(values)).starts_with("key-value cache: keys"))
        << keys.text();
  EXPECT_EQ(refusal(Tensor::zeros({2, 3}, Type::float64), Tensor::zeros({2, 1}, Type::float64)),
            "key-value cache: keys of type float64 and values of type float64 do not fit one of "
            "type float32");
  EXPECT_EQ(cache.length(), 0);
  EXPECT_EQ(error_of([&] {
              cache.select(std::vector<int64_t>{0, 2});
            }),
            "key-value cache: sequence 2 of 2");
  EXPECT_EQ(error_of([&] { cache.select(std::vector<int64_t>{-1}); }),
            "key-value cache: sequence -1 of 2");
  EXPECT_EQ(cache.sequences(), 2);
}

}  // namespace
}  // namespace heed
