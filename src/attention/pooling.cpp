#include "heed/attention/pooling.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "heed/attention/attend.h"
#include "heed/autograd/embedding.h"
#include "heed/autograd/layout.h"
#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

void require_tokens(std::string_view op, const Variable& x, const Ragged& layout) {
  require(x.shape().rank() == 2 && x.shape()[0] == layout.tokens(),
          "{}: shape {} but ({}, width) was expected", op, x.shape(), layout.tokens());
}

Attention by_one_query(const Variable& x, const Ragged& layout, const Variable& query,
                       const Score& score) {
  require_tokens("learned_pooling", x, layout);
  require(query.shape().rank() == 1,
          "learned_pooling: a query of shape {} but (width) was expected", query.shape());
  const auto sequences = static_cast<size_t>(layout.sequences());
  const std::vector<int32_t> same_row(sequences, 0);
  return {.queries = embed(reshape(query, {1, query.shape()[0]}), same_row),
          .keys = x,
          .values = x,
          .score = score,
          .query_layout = Ragged(std::vector<int64_t>(sequences, 1)),
          .key_layout = layout};
}

}  // namespace

Variable mean_pooling(const Variable& x, const Ragged& layout) {
  require_tokens("mean_pooling", x, layout);
  const int64_t width = x.shape()[1];
  Tensor y = x.tape().allocate_zeros({layout.sequences(), width}, x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t s = 0; s < layout.sequences(); ++s) {
      const auto mean = y.row<T>(s);
      for (int64_t t = layout.begin(s); t < layout.end(s); ++t)
        kernels::add_scaled(T{1} / static_cast<T>(layout.length(s)), x.value().row<T>(t), mean);
    }
  });
  return x.tape().record(y, {x}, [x, layout](const Tensor& dy) {
    Tensor dx = x.tape().allocate(x.shape(), x.type());
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t s = 0; s < layout.sequences(); ++s)
        for (int64_t t = layout.begin(s); t < layout.end(s); ++t)
          kernels::scale(T{1} / static_cast<T>(layout.length(s)), dy.row<T>(s), dx.row<T>(t));
    });
    x.add_gradient(dx);
  });
}

Variable max_pooling(const Variable& x, const Ragged& layout) {
  require_tokens("max_pooling", x, layout);
  const int64_t width = x.shape()[1];
  Tensor y = x.tape().allocate_zeros({layout.sequences(), width}, x.type());
  std::vector<int64_t> winners(
      static_cast<size_t>(layout.sequences() * width));  // the token that was largest
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    const auto values = x.value().matrix<T>();
    for (int64_t s = 0; s < layout.sequences(); ++s) {
      if (layout.length(s) == 0) continue;
      for (int64_t c = 0; c < width; ++c) {
        int64_t winner = layout.begin(s);
        for (int64_t t = winner + 1; t < layout.end(s); ++t)
          if (values(t, c) > values(winner, c)) winner = t;
        winners[static_cast<size_t>(s * width + c)] = winner;
        y.matrix<T>()(s, c) = values(winner, c);
      }
    }
  });
  return x.tape().record(y, {x},
                         [x, layout, width, winners = std::move(winners)](const Tensor& dy) {
                           Tensor dx = x.gradient_to_add_to();
                           with_type(dy.type(), [&](auto zero) {
                             using T = decltype(zero);
                             for (int64_t s = 0; s < layout.sequences(); ++s)
                               for (int64_t c = 0; c < (layout.length(s) == 0 ? 0 : width); ++c)
                                 dx.matrix<T>()(winners[static_cast<size_t>(s * width + c)], c) +=
                                     dy.matrix<T>()(s, c);
                           });
                         });
}

Variable first_pooling(const Variable& x, const Ragged& layout) {
  require_tokens("first_pooling", x, layout);
  std::vector<int32_t> firsts;
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    require(layout.length(s) > 0, "first_pooling: sequence {} is empty", s);
    firsts.push_back(static_cast<int32_t>(layout.begin(s)));
  }
  return embed(x, firsts);
}

Variable learned_pooling(const Variable& x, const Ragged& layout, const Variable& query,
                         const Score& score) {
  return attend(by_one_query(x, layout, query, score)).output;
}

Tensor learned_pooling_weights(const Variable& x, const Ragged& layout, const Variable& query,
                               const Score& score) {
  Attention attention = by_one_query(x, layout, query, score);
  attention.want_weights = true;
  const Tensor padded = attend(attention).weights;  // (sequences, 1, 1, longest)
  Tensor weights = x.tape().allocate({layout.tokens()}, x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> from = padded.span<T>();
    const std::span<T> to = weights.span<T>();
    for (int64_t s = 0; s < layout.sequences(); ++s)
      std::copy_n(from.begin() + s * layout.longest(), layout.length(s),
                  to.begin() + layout.begin(s));
  });
  return weights;
}

}  // namespace heed
