#include "heed/kernels/query_attention.h"

#include <gtest/gtest.h>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/attention.h"
#include "heed/kernels/reference/query_attention.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

// A matrix for the kernel (float, misaligned, guarded) and for its reference (double).
struct Numbers {
  // Not inlined, or GCC 12 warns of copies of a negative size that cannot happen.
  [[gnu::noinline]] Numbers(int64_t row_count, int64_t column_count, uint64_t seed, size_t offset)
      : rows(row_count),
        columns(column_count),
        fast(random_floats(static_cast<size_t>(rows * columns), seed), offset),
        exact(widened(fast.view())) {}

  MatrixView<float> fast_matrix() { return matrix(fast.span().data(), rows, columns); }
  MatrixView<double> exact_matrix() { return matrix(exact.data(), rows, columns); }
  ::testing::AssertionResult agrees() const {
    if (!fast.intact()) return ::testing::AssertionFailure() << "wrote outside of its span";
    return close(fast.view(), std::span<const double>(exact), 3e-5, 3e-5);
  }

  int64_t rows, columns;
  GuardedFloats fast;
  std::vector<double> exact;
};

struct Case {
  Case(int64_t key_count, int64_t width, int64_t value_width, bool with_vector, size_t offset)
      : additive(with_vector),
        query(1, width, 1, offset),
        keys(key_count, width, 2, 2 - offset),
        values(key_count, value_width, 3, offset),
        vector(1, width, 4, 1),
        weights(1, key_count, 5, offset),
        output(1, value_width, 6, 1) {}

  QueryAttention<float> fast() {
    QueryAttention<float> attention{query.fast.view(), keys.fast_matrix(), values.fast_matrix(),
                                    0.3f};
    if (additive) attention.vector = vector.fast.view();
    return attention;
  }
  QueryAttention<double> exact() {
    QueryAttention<double> attention{query.exact, keys.exact_matrix(), values.exact_matrix(),
                                     static_cast<double>(0.3f)};
    if (additive) attention.vector = vector.exact;
    return attention;
  }

  bool additive;
  Numbers query, keys, values, vector, weights, output;
};

template <typename Check>
void for_all_cases(Check check) {
  for_every_target([&] {
    for (const bool additive : {false, true})
      for (const int64_t keys : {0, 1, 3, 4, 9, 17})
        for (const auto& [width, value_width] :
             {std::pair<int64_t, int64_t>{1, 1}, {7, 8}, {8, 5}, {33, 40}, {64, 129}})
          for (size_t offset = 0; offset < 3; ++offset) {
            SCOPED_TRACE(::testing::Message()
                         << keys << " keys, widths " << width << " and " << value_width
                         << (additive ? ", additive" : ", dot"));
            Case one(keys, width, value_width, additive, offset);
            check(one);
          }
  });
}

TEST(QueryAttention, EqualsItsReference) {
  for_all_cases([](Case& one) {
    attend_query(one.fast(), one.weights.fast.span(), one.output.fast.span());
    reference::attend_query<double>(one.exact(), one.weights.exact, one.output.exact);
    EXPECT_TRUE(one.weights.agrees());
    EXPECT_TRUE(one.output.agrees());
  });
}

TEST(QueryAttention, GradientsEqualTheReference) {
  for_all_cases([](Case& one) {
    reference::attend_query<double>(one.exact(), one.weights.exact, one.output.exact);
    std::ranges::copy(one.weights.exact, one.weights.fast.span().begin());
    std::ranges::copy(one.output.exact, one.output.fast.span().begin());
    Numbers d_output(1, one.output.columns, 7, 1);
    // What was there before stays: the kernels add.
    Numbers d_query(1, one.query.columns, 8, 2), d_vector(1, one.query.columns, 9, 0);
    Numbers d_keys(one.keys.rows, one.keys.columns, 10, 1);
    Numbers d_values(one.values.rows, one.values.columns, 11, 2);
    QueryAttentionGradients<float> fast{d_query.fast.span(), d_keys.fast_matrix(),
                                        d_values.fast_matrix()};
    QueryAttentionGradients<double> exact{d_query.exact, d_keys.exact_matrix(),
                                          d_values.exact_matrix()};
    if (one.additive) {
      fast.vector = d_vector.fast.span();
      exact.vector = d_vector.exact;
    }
    attend_query_backward(one.fast(), one.weights.fast.view(), one.output.fast.view(),
                          d_output.fast.view(), fast);
    reference::attend_query_backward<double>(one.exact(), one.weights.exact, one.output.exact,
                                             d_output.exact, exact);
    for (const Numbers* gradient : {&d_query, &d_vector, &d_keys, &d_values})
      EXPECT_TRUE(gradient->agrees());
  });
}

// The reference compared with general attention for a single query.
TEST(QueryAttention, IsAttention) {
  for (const bool additive : {false, true}) {
    Case one(5, 6, 7, additive, 0);
    reference::attend_query<double>(one.exact(), one.weights.exact, one.output.exact);
    AttentionHead<double> head{.queries = one.query.exact_matrix(),
                               .keys = one.keys.exact_matrix(),
                               .values = one.values.exact_matrix()};
    head.form = additive ? ScoreForm::additive : ScoreForm::dot;
    head.scale = static_cast<double>(0.3f);
    if (additive) head.vector = one.vector.exact;
    std::vector<double> output(7), largest(1), sums(1), weights(5);
    reference::attention_forward<double>(head, matrix(output.data(), 1, 7), {largest, sums},
                                         matrix(weights.data(), 1, 5));
    EXPECT_TRUE(close(one.weights.exact, weights, 1e-12, 1e-14));
    EXPECT_TRUE(close(one.output.exact, output, 1e-12, 1e-14));

    std::vector<double> d_output(7, 0.5), d_query(6), d_keys(30), d_values(35), d_vector(6);
    std::vector<double> other_query(6), other_keys(30), other_values(35), other_vector(6);
    d_output[2] = -2.0;
    QueryAttentionGradients<double> found{d_query, matrix(d_keys.data(), 5, 6),
                                          matrix(d_values.data(), 5, 7)};
    AttentionGradients<double> expected{.queries = matrix(other_query.data(), 1, 6),
                                        .keys = matrix(other_keys.data(), 5, 6),
                                        .values = matrix(other_values.data(), 5, 7)};
    if (additive) {
      found.vector = d_vector;
      expected.vector = other_vector;
    }
    reference::attend_query_backward<double>(one.exact(), one.weights.exact, one.output.exact,
                                             d_output, found);
    reference::attention_backward<double>(head, matrix(std::as_const(output).data(), 1, 7),
                                          {largest, sums},
                                          matrix(std::as_const(d_output).data(), 1, 7), expected);
    EXPECT_TRUE(close(d_query, other_query, 1e-10, 1e-13));
    EXPECT_TRUE(close(d_keys, other_keys, 1e-10, 1e-13));
    EXPECT_TRUE(close(d_values, other_values, 1e-10, 1e-13));
    EXPECT_TRUE(close(d_vector, other_vector, 1e-10, 1e-13));
  }
}

// Each head as a query of its own, over its part of rows in any order.
TEST(RowAttention, IsAQueryForEachHead) {
  for_every_target([] {
    for (const auto& [heads, kv_heads] : {std::pair{1, 1}, {4, 4}, {4, 2}, {6, 1}})
      for (const int64_t width : {1, 3, 16, 33})
        for (const size_t tokens : {1u, 2u, 4u, 5u, 8u, 19u}) {
          SCOPED_TRACE(::testing::Message()
                       << heads << ", " << kv_heads << ", " << width << ", " << tokens);
          const auto row_width = static_cast<size_t>(kv_heads * width);
          const std::vector<float> query = random_floats(static_cast<size_t>(heads * width), 1),
                                   keys = random_floats(tokens * row_width, 2),
                                   values = random_floats(tokens * row_width, 3);
          std::vector<const float*> key_rows, value_rows;
          for (size_t j = 0; j < tokens; ++j) {
            key_rows.push_back(keys.data() + (tokens - 1 - j) * row_width);
            value_rows.push_back(values.data() + (tokens - 1 - j) * row_width);
          }
          GuardedFloats weights(static_cast<size_t>(heads) * tokens, 1), output(query.size(), 1);
          attend_rows({query, key_rows, value_rows, heads, kv_heads, 0.3f}, weights.span(),
                      output.span());
          EXPECT_TRUE(weights.intact() && output.intact());
          for (int64_t head = 0; head < heads; ++head) {
            const int64_t offset = head / (heads / kv_heads) * width;
            const auto part = [&](const std::vector<float>& rows) {
              std::vector<double> found;
              for (size_t j = tokens; j-- > 0;)
                for (int64_t d = 0; d < width; ++d)
                  found.push_back(rows[j * row_width + static_cast<size_t>(offset + d)]);
              return found;
            };
            const std::vector<double> own_keys = part(keys), own_values = part(values);
            const std::vector<double> own_query(query.begin() + head * width,
                                                query.begin() + (head + 1) * width);
            std::vector<double> own_weights(tokens), own_output(static_cast<size_t>(width));
            reference::attend_query<double>(
                {own_query, matrix(own_keys.data(), static_cast<int64_t>(tokens), width),
                 matrix(own_values.data(), static_cast<int64_t>(tokens), width),
                 static_cast<double>(0.3f)},
                own_weights, own_output);
            const size_t first = static_cast<size_t>(head);
            EXPECT_TRUE(close(weights.view().subspan(first * tokens, tokens),
                              std::span<const double>(own_weights), 1e-5, 1e-6));
            EXPECT_TRUE(close(output.view().subspan(first * own_output.size(), own_output.size()),
                              std::span<const double>(own_output), 1e-5, 1e-5));
          }
        }
  });
}

}  // namespace
}  // namespace heed::kernels
