#include "heed/attention/contributions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::values_of;

constexpr int64_t heads = 4, kv_heads = 2, queries = 3, keys = 5, width = 6, out = 7;

RecordedAttention made_up(Type type) {
  RecordedAttention attention;
  attention.weights = random_tensor({1, heads, queries, keys}, 1, type);
  attention.values = random_tensor({keys, kv_heads * width}, 2, type);
  attention.output_weight = random_tensor({out, heads * width}, 3, type);
  attention.gates = {1, 0.5, 0, -2};
  attention.gradient = std::make_shared<Tensor>(random_tensor({queries, heads * width}, 4, type));
  return attention;
}

double weight_of(const RecordedAttention& attention, int64_t head, int64_t query, int64_t key) {
  return attention.weights[(head * queries + query) * keys + key];
}

double value_of(const RecordedAttention& attention, int64_t head, int64_t key, int64_t column) {
  return attention.values[key * kv_heads * width + head / (heads / kv_heads) * width + column];
}

TEST(Contributions, NormsAreTheLengthsOfWhatIsAdded) {
  for (const Type type : {Type::float32, Type::float64}) {
    const RecordedAttention attention = made_up(type);
    std::vector<double> expected;
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t query = 0; query < queries; ++query)
        for (int64_t key = 0; key < keys; ++key) {
          double squares = 0;
          for (int64_t row = 0; row < out; ++row) {
            double sum = 0;
            for (int64_t d = 0; d < width; ++d)
              sum += attention.output_weight[row * heads * width + head * width + d] *
                     value_of(attention, head, key, d);
            squares += sum * sum;
          }
          // A length of something negative would be no length; weights are not, in earnest.
          expected.push_back(std::abs(attention.gate(head)) *
                             weight_of(attention, head, query, key) * std::sqrt(squares));
        }
    const Tensor norms = contribution_norms(attention);
    EXPECT_EQ(norms.shape(), (Shape{heads, queries, keys}));
    EXPECT_TRUE(close(values_of(norms), expected, 1e-5, 1e-5));
  }
}

TEST(Contributions, WithoutAnOutputProjectionTheValuesAreAdded) {
  RecordedAttention attention;
  attention.weights = Tensor::of({1, 1, 1, 2}, {0.25, 0.75});
  attention.values = Tensor::of({2, 2}, {3, 4, 0, 2});
  EXPECT_EQ(values_of(contribution_norms(attention)), (std::vector<double>{1.25, 1.5}));
}

TEST(Contributions, GradientsAreProductsWithTheValues) {
  for (const Type type : {Type::float32, Type::float64})
    for (const bool causal : {false, true}) {
      const RecordedAttention attention = made_up(type);
      std::vector<double> weights, gates(heads);
      for (int64_t head = 0; head < heads; ++head)
        for (int64_t query = 0; query < queries; ++query)
          for (int64_t key = 0; key < keys; ++key) {
            double product = 0;
            for (int64_t d = 0; d < width; ++d)
              product += (*attention.gradient)[query * heads * width + head * width + d] *
                         value_of(attention, head, key, d);
            if (causal && key > query) product = 0;
            weights.push_back(attention.gate(head) * product);
            gates[static_cast<size_t>(head)] += weight_of(attention, head, query, key) * product;
          }
      const HeadGradients found = head_gradients(attention, causal);
      EXPECT_TRUE(close(values_of(found.weights), weights, 1e-5, 1e-5));
      EXPECT_TRUE(close(found.gates, gates, 1e-5, 1e-5));
    }
}

TEST(Contributions, NoGradientArrived) {
  RecordedAttention attention = made_up(Type::float32);
  *attention.gradient = Tensor();
  EXPECT_EQ(values_of(head_gradients(attention, false).weights),
            std::vector<double>(heads * queries * keys));
  EXPECT_EQ(head_gradients(attention, false).gates, std::vector<double>(heads));
}

TEST(Contributions, AreOfOneWholeSequence) {
  RecordedAttention attention = made_up(Type::float32);
  attention.weights = attention.weights.reshape({2, 2, queries, keys});
  EXPECT_EQ(error_of([&] { contribution_norms(attention); }),
            "recorded attention: weights of shape (2, 2, 3, 5), but those of one whole sequence "
            "were expected");
}

}  // namespace
}  // namespace heed
