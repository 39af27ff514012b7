#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "c_model.h"

namespace heed {
namespace {

using testing::expect_refused;

// Two sequences of three queries and four keys, with two heads.
struct Example {
  Example() {
    EXPECT_EQ(heed_attention_init(&attention, sizeof attention), HEED_OK);
    attention.queries = queries.data();
    attention.keys = keys.data();
    attention.values = values.data();
    attention.batch = 2;
    attention.query_count = 3;
    attention.key_count = 4;
    attention.width = 2;
    attention.value_width = 1;
    attention.heads = 2;
    for (size_t i = 0; i < queries.size(); ++i) queries[i] = std::sin(static_cast<float>(i));
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = std::cos(static_cast<float>(3 * i));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  }

  // What the definition says.
  double score(size_t sequence, size_t head, size_t query, size_t key) const {
    const float* q = &queries[((sequence * 3 + query) * 2 + head) * 2];
    const float* k = &keys[((sequence * 4 + key) * 2 + head) * 2];
    return (q[0] * k[0] + q[1] * k[1]) / std::sqrt(2.0);
  }
  void expect_right(const std::vector<size_t>& lengths) {
    ASSERT_EQ(heed_attend(&attention, output.data(), weights.data()), HEED_OK) << heed_last_error();
    for (size_t sequence = 0; sequence < 2; ++sequence)
      for (size_t head = 0; head < 2; ++head)
        for (size_t query = 0; query < 3; ++query) {
          size_t seen = lengths[sequence];
          if (attention.causal != 0) seen = std::min(seen, query + 1);
          double sum = 0, expected = 0;
          for (size_t key = 0; key < seen; ++key)
            sum += std::exp(score(sequence, head, query, key));
          for (size_t key = 0; key < 4; ++key) {
            const double weight =
                key < seen ? std::exp(score(sequence, head, query, key)) / sum : 0.0;
            EXPECT_NEAR(weights[((sequence * 2 + head) * 3 + query) * 4 + key], weight, 1e-6);
            expected += weight * values[(sequence * 4 + key) * 2 + head];
          }
          EXPECT_NEAR(output[(sequence * 3 + query) * 2 + head], expected, 1e-5);
        }
  }

  heed_attention attention;
  std::vector<float> queries = std::vector<float>(2 * 3 * 4), keys = std::vector<float>(2 * 4 * 4),
                     values = std::vector<float>(2 * 4 * 2), output = std::vector<float>(2 * 3 * 2),
                     weights = std::vector<float>(2 * 2 * 3 * 4);
};

TEST(CAttention, IsTheWeightedSumOfTheValues) { Example().expect_right({4, 4}); }

TEST(CAttention, SeesNoKeyBehindItsQueryIfCausal) {
  Example example;
  example.attention.causal = 1;
  example.expect_right({4, 4});
}

TEST(CAttention, SeesTheValidKeysOnly) {
  Example example;
  const int64_t lengths[] = {2, 0};
  example.attention.valid_lengths = lengths;
  example.expect_right({2, 0});
  example.attention.causal = 1;
  example.expect_right({2, 0});
}

TEST(CAttention, TheWeightsMayBeLeftOut) {
  Example example;
  std::vector<float> output(example.output.size());
  ASSERT_EQ(heed_attend(&example.attention, output.data(), nullptr), HEED_OK);
  ASSERT_EQ(heed_attend(&example.attention, example.output.data(), example.weights.data()),
            HEED_OK);
  EXPECT_EQ(output, example.output);
}

TEST(CAttention, RefusesWhatCannotBe) {
  Example example;
  heed_attention& attention = example.attention;
  float* const output = example.output.data();
  expect_refused(heed_attend(nullptr, output, nullptr), HEED_USAGE,
                 "heed_attend: the attention is NULL");
  expect_refused(heed_attend(&attention, nullptr, nullptr), HEED_USAGE,
                 "heed_attend: where to put the output is NULL");
  attention.heads = 0;
  expect_refused(heed_attend(&attention, output, nullptr), HEED_USAGE,
                 "heed_attend: heads is 0, but 1 to 2147483647 was expected");
  attention.heads = 2;
  attention.batch = int64_t{1} << 40;
  EXPECT_EQ(heed_attend(&attention, output, nullptr), HEED_USAGE);
  attention.batch = 2147483647;
  attention.key_count = 2147483647;
  EXPECT_EQ(heed_attend(&attention, output, nullptr), HEED_USAGE) << "more than memory can hold";
  attention.batch = 2;
  attention.key_count = 4;
  const int64_t lengths[] = {2, -1};
  attention.valid_lengths = lengths;
  EXPECT_EQ(heed_attend(&attention, output, nullptr), HEED_USAGE);
  attention.valid_lengths = nullptr;
  attention.keys = nullptr;
  expect_refused(heed_attend(&attention, output, nullptr), HEED_USAGE, "heed_attend: keys is NULL");
  attention.size = 1000;
  EXPECT_EQ(heed_attend(&attention, output, nullptr), HEED_USAGE);
}

}  // namespace
}  // namespace heed
