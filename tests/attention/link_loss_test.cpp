#include "heed/attention/link_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "heed/attention/attend.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/cross_entropy.h"
#include "heed/autograd/linear.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::close;
using testing::error_of;
using testing::random_tensor;
using testing::values_of;

// One sequence has no queries, one has no links, and one has a single key.
const GuidedHead two_of_four = {.query_layout = Ragged({3, 0, 2, 4}),
                                .key_layout = Ragged({5, 2, 3, 1}),
                                .head = 2,
                                .heads = 4,
                                .kv_heads = 2};
const std::vector<TokenLink> some_links = {{0, 1}, {0, 3}, {0, 4}, {2, 0}, {5, 0}, {8, 0}};
constexpr int64_t width = 6;

struct Found {
  double loss = 0;
  std::vector<double> query_gradient, key_gradient;
};

Found found_by_op(const Tensor& queries, const Tensor& keys) {
  Tape tape;
  const Variable q = tape.watch(queries), k = tape.watch(keys);
  const Variable loss = link_loss(q, k, two_of_four, some_links);
  tape.backward(scale(loss, 0.7));
  return {loss.value()[0], values_of(q.gradient()), values_of(k.gradient())};
}

// Columns of a head, one row after the other.
Tensor part(const Tensor& all, int64_t begin, int64_t end, int64_t head) {
  Tensor taken = Tensor::uninitialised({end - begin, width}, all.type());
  for (int64_t row = begin; row < end; ++row)
    for (int64_t c = 0; c < width; ++c)
      taken.matrix<double>()(row - begin, c) = all.matrix<double>()(row, head * width + c);
  return taken;
}

void put_part(const Tensor& taken, int64_t begin, int64_t head, Tensor& all) {
  for (int64_t row = 0; row < taken.shape()[0]; ++row)
    for (int64_t c = 0; c < width; ++c)
      all.matrix<double>()(begin + row, head * width + c) = taken.matrix<double>()(row, c);
}

// The definition, from other ops: each link is a class that a softmax over the keys is to choose.
Found composed(const Tensor& queries, const Tensor& keys) {
  const auto& [query_layout, key_layout, head, heads, kv_heads] = two_of_four;
  const int64_t key_head = head / (heads / kv_heads);
  Tape tape;
  Variable loss = tape.constant(Tensor::zeros({}, Type::float64));
  std::vector<Tensor> key_parts, rows;
  for (int64_t s = 0; s < key_layout.sequences(); ++s)
    key_parts.push_back(part(keys, key_layout.begin(s), key_layout.end(s), key_head));
  for (int64_t row = 0; row < query_layout.tokens(); ++row)
    rows.push_back(part(queries, row, row + 1, head));
  for (const TokenLink& link : some_links) {
    size_t s = 0;
    while (query_layout.end(static_cast<int64_t>(s)) <= link.target) ++s;
    const auto links = static_cast<double>(std::ranges::count_if(
        some_links, [&](const TokenLink& other) { return other.target == link.target; }));
    const Variable row = scale(tape.watch(rows[static_cast<size_t>(link.target)]),
                               1.0 / std::sqrt(static_cast<double>(width)));
    const Variable scores = linear(row, tape.watch(key_parts[s]));
    loss = add(loss, scale(cross_entropy(scores, std::vector{link.source}), 1.0 / links));
  }
  tape.backward(scale(loss, 0.7));
  Tensor query_gradient = Tensor::zeros(queries.shape(), Type::float64),
         key_gradient = Tensor::zeros(keys.shape(), Type::float64);
  for (size_t row = 0; row < rows.size(); ++row)
    if (tape.has_gradient(rows[row]))
      put_part(tape.gradient_of(rows[row]), static_cast<int64_t>(row), head, query_gradient);
  for (size_t s = 0; s < key_parts.size(); ++s)
    if (tape.has_gradient(key_parts[s]))
      put_part(tape.gradient_of(key_parts[s]), key_layout.begin(static_cast<int64_t>(s)), key_head,
               key_gradient);
  return {loss.value()[0], values_of(query_gradient), values_of(key_gradient)};
}

class LinkLoss : public ::testing::Test {
 protected:
  const Tensor queries = random_tensor({9, 4 * width}, 1, Type::float64);
  const Tensor keys = random_tensor({11, 2 * width}, 2, Type::float64);
};

TEST_F(LinkLoss, IsThatOfOtherOpsComposed) {
  const Found expected = composed(queries, keys), found = found_by_op(queries, keys);
  EXPECT_NEAR(found.loss, expected.loss, 1e-12);
  EXPECT_TRUE(close(found.query_gradient, expected.query_gradient, 1e-12, 1e-12));
  EXPECT_TRUE(close(found.key_gradient, expected.key_gradient, 1e-12, 1e-12));
  // Single precision is about as exact as its inputs.
  const Found single = found_by_op(queries.to(Type::float32), keys.to(Type::float32));
  EXPECT_NEAR(single.loss, expected.loss, 1e-5);
  EXPECT_TRUE(close(single.query_gradient, expected.query_gradient, 1e-5, 1e-6));
  EXPECT_TRUE(close(single.key_gradient, expected.key_gradient, 1e-5, 1e-6));
}

TEST_F(LinkLoss, IsOfTheWeightsThatAttentionUses) {
  Tape tape;
  const Variable q = tape.constant(queries), k = tape.constant(keys);
  const Tensor weights = attend({.queries = q,
                                 .keys = k,
                                 .values = k,
                                 .heads = two_of_four.heads,
                                 .kv_heads = two_of_four.kv_heads,
                                 .want_weights = true,
                                 .query_layout = two_of_four.query_layout,
                                 .key_layout = two_of_four.key_layout})
                             .weights;
  // (sequences, heads, queries, keys)
  const auto weight = [&](int64_t s, int64_t query, int64_t key) {
    return weights[((s * 4 + two_of_four.head) * 4 + query) * 5 + key];
  };
  const double expected =
      -(std::log(weight(0, 0, 1)) + std::log(weight(0, 0, 3)) + std::log(weight(0, 0, 4))) / 3 -
      std::log(weight(0, 2, 0)) - std::log(weight(3, 0, 0)) - std::log(weight(3, 3, 0));
  EXPECT_NEAR(link_loss(q, k, two_of_four, some_links).value()[0], expected, 1e-12);
}

// A softmax in single precision would give a weight of 0, and its logarithm no number.
TEST_F(LinkLoss, StaysFiniteWhereAWeightVanishes) {
  Tape tape;
  const GuidedHead one = {.query_layout = Ragged({1}), .key_layout = Ragged({2})};
  const Variable q = tape.watch(Tensor::of({1, 1}, {1})),
                 k = tape.watch(Tensor::of({2, 1}, {500, -500}));
  const Variable loss = link_loss(q, k, one, std::vector<TokenLink>{{0, 1}});
  EXPECT_EQ(loss.value()[0], 1000);
  tape.backward(loss);
  EXPECT_EQ(values_of(k.gradient()), (std::vector<double>{1, -1}));
}

TEST_F(LinkLoss, OfNoLinksIsNothing) {
  Tape tape;
  const Variable q = tape.watch(queries);
  const Variable loss = link_loss(q, tape.watch(keys), two_of_four, {});
  EXPECT_EQ(loss.value()[0], 0);
  tape.backward(loss);
  for (const double number : values_of(q.gradient())) EXPECT_EQ(number, 0);
}

TEST_F(LinkLoss, WeighsSequences) {
  Tape tape;
  const Variable q = tape.constant(queries), k = tape.constant(keys);
  const auto loss = [&](const std::vector<TokenLink>& links, const std::vector<float>& shares) {
    return link_loss(q, k, two_of_four, links, shares).value()[0];
  };
  const double first = loss({{0, 1}, {0, 3}}, {}), last = loss({{4, 2}}, {});
  EXPECT_NEAR(loss({{0, 1}, {0, 3}, {4, 2}}, {3, 1, 0, 1}), 3 * first, 1e-12);
  EXPECT_NEAR(loss({{0, 1}, {0, 3}, {4, 2}}, {0, 1, 0.5, 1}), 0.5 * last, 1e-12);
  EXPECT_EQ(error_of([&] { loss({}, {1, 2}); }), "link_loss: 2 shares for 4 sequences");
}

TEST_F(LinkLoss, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable q = tape.constant(queries), k = tape.constant(keys);
  const auto complaint = [&](const std::vector<TokenLink>& links, GuidedHead head = two_of_four) {
    return error_of([&] { link_loss(q, k, head, links); });
  };
  EXPECT_EQ(complaint({{0, 5}}), "link_loss: a link of query 0 with key 5, but there are 5 keys");
  EXPECT_EQ(complaint({{9, 0}}), "link_loss: a link of query 9, but there are 9 queries");
  EXPECT_EQ(complaint({{-1, 0}}), "link_loss: a link of query -1 with key 0, but there are 5 keys");
  EXPECT_EQ(complaint({{1, 0}, {0, 0}}), "link_loss: the links are not sorted");
  GuidedHead other = two_of_four;
  other.head = 4;
  EXPECT_EQ(complaint({}, other), "link_loss: head 4 of 4 with 2 KV heads");
  other = two_of_four;
  other.kv_heads = 4;
  EXPECT_EQ(complaint({}, other),
            "link_loss: queries (9, 24) and keys (11, 12) do not fit 4 heads, 4 KV heads and their "
            "layout");
}

}  // namespace
}  // namespace heed
