// What translating computes a row with does not look at the other rows: a row gives the same bits
// alone and among others. For float32 products see gemm_test.
#define HWY_WANT_AVX3_DL  // as the products of int8, so that each of their instruction sets is
                          // tested

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "every_target.h"
#include "heed/kernels/activation.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/int8_gemm.h"
#include "heed/kernels/layer_norm.h"
#include "heed/kernels/softmax.h"
#include "heed/kernels/top_k.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::for_every_target;
using heed::testing::random_floats;

using Floats = std::vector<float>;
// Rows of x, end to end, to rows of results. The first of them has this place among all rows.
using Function = std::function<Floats(std::span<const float> x, size_t first)>;

// The function of all rows, beside that of each few of them.
void expect_rows_to_stand_alone(size_t rows, size_t columns, const Function& function) {
  const Floats x = random_floats(rows * columns, columns, 2.0);
  for_every_target([&] {
    const Floats whole = function(x, 0);
    const size_t width = whole.size() / rows;
    for (size_t count = 1; count <= rows; count += count < 20 ? 1 : 29)
      for (const size_t first : {size_t{0}, (rows - count) / 2, rows - count}) {
        const Floats part = function(std::span(x).subspan(first * columns, count * columns), first);
        ASSERT_TRUE(
            std::ranges::equal(part, std::span(whole).subspan(first * width, count * width)))
            << count << " rows from " << first << " of " << columns << " columns";
      }
  });
}

TEST(RowsAlone, Activations) {
  for (const Activation kind : {Activation::relu, Activation::tanh, Activation::sigmoid,
                                Activation::gelu, Activation::swish})
    for (const size_t columns : {1u, 3u, 16u})
      expect_rows_to_stand_alone(50, columns, [&](std::span<const float> x, size_t) {
        Floats y(x.size());
        activate(kind, x, y);
        return y;
      });
}

TEST(RowsAlone, LayerNorm) {
  for (const size_t width : awkward_sizes) {
    const Floats gain = random_floats(width, 2), bias = random_floats(width, 3);
    expect_rows_to_stand_alone(7, width, [&](std::span<const float> x, size_t) {
      const size_t rows = x.size() / width;
      Floats y(x.size()), means(rows), inverse_deviations(rows);
      layer_norm(x, gain, bias, 1e-5f, y, means, inverse_deviations);
      return y;
    });
  }
}

TEST(RowsAlone, Softmax) {
  for (const size_t width : awkward_sizes)
    expect_rows_to_stand_alone(7, width, [&](std::span<const float> x, size_t) {
      Floats y(x.size());
      softmax(x, y, static_cast<int64_t>(width));
      return y;
    });
}

TEST(RowsAlone, TopK) {
  for (const size_t width : awkward_sizes)
    expect_rows_to_stand_alone(7, width, [&](std::span<const float> x, size_t) {
      const size_t rows = x.size() / width, k = std::min<size_t>(width, 5);
      std::vector<int32_t> best(rows * k);
      Floats log_probabilities(rows * k);
      log_softmax_top_k(x, static_cast<int64_t>(width), static_cast<int64_t>(k), best,
                        log_probabilities);
      return log_probabilities;
    });
}

TEST(RowsAlone, Int8Products) {
  for (const int64_t inputs : {1, 3, 4, 5, 63, 64, 65, 255, 256, 257, 512, 2048}) {
    const int64_t outputs = 53;
    const Floats weights = random_floats(static_cast<size_t>(inputs * outputs), 1, 0.1),
                 bias = random_floats(static_cast<size_t>(outputs), 2);
    const Int8Weights packed(matrix(weights.data(), outputs, inputs).transposed());
    expect_rows_to_stand_alone(200, static_cast<size_t>(inputs),
                               [&](std::span<const float> x, size_t) {
                                 const int64_t rows = static_cast<int64_t>(x.size()) / inputs;
                                 Floats y(static_cast<size_t>(rows * outputs));
                                 gemm_int8(matrix(x.data(), rows, inputs), packed,
                                           matrix(y.data(), rows, outputs), bias, Activation::gelu);
                                 return y;
                               });
  }
}

// The keys of one attention, and what narrows and shifts its scores. Queries are what the rows are.
class Keys {
 public:
  Keys(int64_t keys, int64_t width)
      : keys_(keys),
        width_(width),
        rows_(random_floats(size(keys, width), 11)),
        values_(random_floats(size(keys, value_width), 12)),
        vector_(random_floats(static_cast<size_t>(width), 13)),
        bias_(random_floats(static_cast<size_t>(keys), 14)) {}

  AttentionHead<float> head(ScoreForm form) const {
    AttentionHead<float> head;
    head.keys = matrix(rows_.data(), keys_, width_);
    head.values = matrix(values_.data(), keys_, value_width);
    head.form = form;
    head.scale = 0.2f;
    if (form == ScoreForm::additive) head.vector = vector_;
    return head;
  }
  // The same shifts for every query.
  MatrixView<const float> bias() const { return {bias_.data(), max_queries, keys_, 0, 1}; }

  int64_t width() const { return width_; }

  static constexpr int64_t value_width = 20;
  static constexpr int64_t max_queries = 200;

 private:
  static size_t size(int64_t rows, int64_t columns) { return static_cast<size_t>(rows * columns); }

  int64_t keys_, width_;
  Floats rows_, values_, vector_, bias_;
};

// For each query its output, the largest score and the sum of the softmax.
Floats attended(AttentionHead<float> head, std::span<const float> queries) {
  const int64_t count = static_cast<int64_t>(queries.size()) / head.keys.columns,
                width = head.values.columns + 2;
  head.queries = matrix(queries.data(), count, head.keys.columns);
  Floats largest(static_cast<size_t>(count)), sums(largest.size()),
      results(static_cast<size_t>(count * width));
  attention_forward(head, {results.data(), count, width - 2, width}, {largest, sums});
  for (int64_t q = 0; q < count; ++q) {
    results[static_cast<size_t>((q + 1) * width - 2)] = largest[static_cast<size_t>(q)];
    results[static_cast<size_t>((q + 1) * width - 1)] = sums[static_cast<size_t>(q)];
  }
  return results;
}

TEST(RowsAlone, QueriesOfAttention) {
  for (const ScoreForm form : {ScoreForm::dot, ScoreForm::gaussian, ScoreForm::additive})
    for (const int64_t keys : {1, 2, 15, 63, 64, 65, 130})
      for (const bool biased : {false, true}) {
        const Keys asked(keys, 24);
        AttentionHead<float> head = asked.head(form);
        if (biased) head.bias = asked.bias();
        expect_rows_to_stand_alone(
            140, 24, [&](std::span<const float> x, size_t) { return attended(head, x); });
      }
}

TEST(RowsAlone, QueriesOfCausalAttention) {
  for (const int64_t keys : {1, 15, 64, 65, 130}) {
    const Keys asked(keys, 24);
    std::vector<KeyRange> ranges;
    for (int64_t query = 0; query < 140; ++query) ranges.push_back({0, std::min(query + 1, keys)});
    expect_rows_to_stand_alone(140, 24, [&](std::span<const float> x, size_t first) {
      AttentionHead<float> head = asked.head(ScoreForm::dot);
      head.ranges = std::span(ranges).subspan(first, x.size() / 24);
      return attended(head, x);
    });
  }
}

}  // namespace
}  // namespace heed::kernels
