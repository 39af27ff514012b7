#include "heed/attention/link_loss.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/softmax.h"

namespace heed {

namespace {

using kernels::MatrixView;

// A sequence whose queries have links, and where its (queries × keys) numbers are among those of
// all such sequences.
struct LinkedSequence {
  int64_t sequence = 0;
  int64_t first = 0;
  std::span<const TokenLink> links = {};
};

struct Plan {
  GuidedHead guided;
  std::vector<TokenLink> links;
  std::vector<LinkedSequence> sequences = {};
  int64_t numbers = 0;  // of all sequences
  int64_t width = 0;    // of a head
  double scale = 1;

  int64_t queries(int64_t sequence) const { return guided.query_layout.length(sequence); }
  int64_t keys(int64_t sequence) const { return guided.key_layout.length(sequence); }

  template <typename T>
  MatrixView<T> query_view(T* data, int64_t sequence) const {
    return part(data, guided.query_layout, sequence, guided.head, guided.heads);
  }
  template <typename T>
  MatrixView<T> key_view(T* data, int64_t sequence) const {
    const int64_t head = guided.head / (guided.heads / guided.kv_heads);
    return part(data, guided.key_layout, sequence, head, guided.kv_heads);
  }
  template <typename T>
  MatrixView<T> numbers_of(T* data, const LinkedSequence& linked) const {
    return kernels::matrix(data + linked.first, queries(linked.sequence), keys(linked.sequence));
  }

 private:
  template <typename T>
  MatrixView<T> part(T* data, const Ragged& layout, int64_t sequence, int64_t head,
                     int64_t heads) const {
    return {data + (layout.begin(sequence) * heads + head) * width, layout.length(sequence), width,
            heads * width};
  }
};

void check(const Variable& queries, const Variable& keys, const GuidedHead& guided) {
  require(guided.heads >= 1 && guided.kv_heads >= 1 && guided.heads % guided.kv_heads == 0 &&
              guided.head >= 0 && guided.head < guided.heads,
          "link_loss: head {} of {} with {} KV heads", guided.head, guided.heads, guided.kv_heads);
  const int64_t width = queries.shape().columns() / guided.heads;
  const bool fits = width >= 1 &&
                    queries.shape() == Shape{guided.query_layout.tokens(), guided.heads * width} &&
                    keys.shape() == Shape{guided.key_layout.tokens(), guided.kv_heads * width} &&
                    guided.query_layout.sequences() == guided.key_layout.sequences();
  require(fits,
          "link_loss: queries {} and keys {} do not fit {} heads, {} KV heads and their layout",
          queries.shape(), keys.shape(), guided.heads, guided.kv_heads);
}

// Finds the sequences that have links.
void place_links(Plan& plan) {
  require(std::is_sorted(plan.links.begin(), plan.links.end()),
          "link_loss: the links are not sorted");
  const Ragged& layout = plan.guided.query_layout;
  auto begin = plan.links.begin();
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    const auto end =
        std::ranges::lower_bound(begin, plan.links.end(), layout.end(s), {}, &TokenLink::target);
    if (begin == end) continue;
    for (const auto& [query, key] : std::span(begin, end))
      require(query >= 0 && key >= 0 && key < plan.keys(s),
              "link_loss: a link of query {} with key {}, but there are {} keys", query, key,
              plan.keys(s));
    plan.sequences.push_back({s, plan.numbers, {begin, end}});
    plan.numbers += plan.queries(s) * plan.keys(s);
    begin = end;
  }
  require(begin == plan.links.end(), "link_loss: a link of query {}, but there are {} queries",
          begin == plan.links.end() ? 0 : begin->target, layout.tokens());
}

// Scores become the gradient of the row's loss with respect to them; returns the loss.
template <typename T>
double differentiate_row(std::span<T> scores, std::span<const TokenLink> links) {
  const auto largest = static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
  const T shift = scores[largest];
  const double share = 1.0 / static_cast<double>(links.size());
  double sum = 0;  // of the linked scores, shifted
  for (const TokenLink& link : links)
    sum += share * static_cast<double>(scores[static_cast<size_t>(link.source)] - shift);
  kernels::softmax(scores, scores, std::ssize(scores));
  // A weight can be too small for a float, but never the largest one.
  const double loss = -(sum + std::log(static_cast<double>(scores[largest])));
  for (const TokenLink& link : links)
    scores[static_cast<size_t>(link.source)] -= static_cast<T>(share);
  return loss;
}

// Returns the loss, and leaves its gradients with respect to the scores, times their scale.
template <typename T>
double differentiate(const Plan& plan, const Tensor& queries, const Tensor& keys,
                     std::span<const float> shares, Tensor& gradients) {
  const std::span<T> all = gradients.span<T>();
  const T scale = static_cast<T>(plan.scale);
  double loss = 0;
  for (const LinkedSequence& linked : plan.sequences) {
    const int64_t s = linked.sequence, columns = plan.keys(s);
    const double share = shares.empty() ? 1.0 : shares[static_cast<size_t>(s)];
    const MatrixView<T> scores = plan.numbers_of(all.data(), linked);
    kernels::gemm(plan.query_view(queries.data<T>(), s),
                  plan.key_view(keys.data<T>(), s).transposed(), scores);
    const TokenLink* link = linked.links.data();
    const TokenLink* const end = link + linked.links.size();
    for (int64_t row = 0; row < plan.queries(s); ++row) {
      const std::span<T> numbers(scores.row(row), static_cast<size_t>(columns));
      const TokenLink* const first = link;
      while (link != end && link->target == plan.guided.query_layout.begin(s) + row) ++link;
      if (first == link) {
        std::ranges::fill(numbers, T(0));
        continue;
      }
      kernels::scale(scale, numbers, numbers);
      loss += share * differentiate_row<T>(numbers, {first, link});
      kernels::scale(static_cast<T>(share * plan.scale), numbers, numbers);
    }
  }
  return loss;
}

template <typename T>
void backward(const Plan& plan, const Variable& queries, const Variable& keys,
              const Tensor& gradients, T factor) {
  Tensor scaled = queries.tape().allocate(gradients.shape(), gradients.type());
  kernels::scale(factor, gradients.span<T>(), scaled.span<T>());
  Tensor query_sink, key_sink;
  if (queries.needs_gradient()) query_sink = queries.gradient_to_add_to();
  if (keys.needs_gradient()) key_sink = keys.gradient_to_add_to();
  for (const LinkedSequence& linked : plan.sequences) {
    const int64_t s = linked.sequence;
    const MatrixView<const T> of_scores =
        plan.numbers_of(static_cast<const T*>(scaled.data<T>()), linked);
    if (query_sink.present())
      kernels::gemm(of_scores, plan.key_view(keys.value().data<T>(), s),
                    plan.query_view(query_sink.data<T>(), s), {.accumulate = true});
    if (key_sink.present())
      kernels::gemm(of_scores.transposed(), plan.query_view(queries.value().data<T>(), s),
                    plan.key_view(key_sink.data<T>(), s), {.accumulate = true});
  }
}

}  // namespace

Variable link_loss(const Variable& queries, const Variable& keys, const GuidedHead& guided,
                   std::span<const TokenLink> links, std::span<const float> shares) {
  check(queries, keys, guided);
  require(shares.empty() || std::ssize(shares) == guided.query_layout.sequences(),
          "link_loss: {} shares for {} sequences", shares.size(), guided.query_layout.sequences());
  const auto plan = std::make_shared<Plan>(
      Plan{.guided = guided, .links = std::vector(links.begin(), links.end())});
  plan->width = queries.shape().columns() / guided.heads;
  plan->scale = 1.0 / std::sqrt(static_cast<double>(plan->width));
  place_links(*plan);
  Tape& tape = queries.tape();
  const Type type = queries.type();
  Tensor gradients = tape.allocate({plan->numbers}, type);
  Tensor loss = tape.allocate({}, type);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    loss.data<T>()[0] =
        static_cast<T>(differentiate<T>(*plan, queries.value(), keys.value(), shares, gradients));
  });
  return tape.record(loss, {queries, keys}, [=](const Tensor& gradient) {
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      backward<T>(*plan, queries, keys, gradients, gradient.data<T>()[0]);
    });
  });
}

}  // namespace heed
