#include "heed/attention/attend.h"

#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/autograd/layout.h"
#include "heed/base/error.h"
#include "heed/kernels/attention.h"

namespace heed {

namespace {

using kernels::MatrixView;

// Where the heads of the sequences of one array lie. A dense batch is a ragged one of equal
// lengths.
struct HeadLayout {
  Ragged sequences;
  int64_t heads = 1;
  int64_t width = 0;       // of one head
  bool in_columns = true;  // heads side by side in each row, or one block of rows after the other

  template <typename T>
  MatrixView<T> view(T* data, int64_t sequence, int64_t head) const {
    const int64_t begin = sequences.begin(sequence), length = sequences.length(sequence);
    if (in_columns) return {data + (begin * heads + head) * width, length, width, heads * width};
    return {data + (begin * heads + head * length) * width, length, width, width};
  }
  HeadLayout with_width(int64_t other) const { return {sequences, heads, other, in_columns}; }
};

HeadLayout layout_of(std::string_view name, const Variable& array, int64_t heads,
                     const std::optional<Ragged>& ragged) {
  require(array.present(), "attend: the {} are missing", name);
  const Shape& shape = array.shape();
  if (ragged) {
    require(shape.rank() == 2 && shape[0] == ragged->tokens(),
            "attend: the {} have shape {} but ({}, width) was expected for the ragged batch", name,
            shape, ragged->tokens());
  } else {
    require(shape.rank() >= 2 && shape.rank() <= 4,
            "attend: the {} have shape {} but 2 to 4 axes were expected", name, shape);
  }
  require(shape.columns() > 0, "attend: the {} have shape {}, which has no width", name, shape);
  if (shape.rank() == 4) {
    require(heads == 1 || heads == shape[1],
            "attend: {} heads were asked for but the {} have shape {}", heads, name, shape);
    return {Ragged(std::vector<int64_t>(static_cast<size_t>(shape[0]), shape[2])), shape[1],
            shape[3], false};
  }
  require(heads >= 1 && shape.columns() % heads == 0,
          "attend: {} heads do not divide the width {} of the {}", heads, shape.columns(), name);
  const int64_t batch = shape.rank() == 3 ? shape[0] : 1;
  const Ragged sequences =
      ragged ? *ragged : Ragged(std::vector<int64_t>(static_cast<size_t>(batch), shape[-2]));
  return {sequences, heads, shape.columns() / heads, true};
}

// Everything the two passes share.
struct Plan {
  PreparedScore score;
  Variable values;
  Mask mask;
  HeadLayout query_layout, key_layout, value_layout, output_layout;
  std::vector<kernels::KeyRange> ranges;
  double dropout = 0.0;
  RandomKey dropout_key = {};

  int64_t sequences() const { return query_layout.sequences.sequences(); }
  int64_t heads() const { return query_layout.heads; }
  int64_t key_head(int64_t head) const { return head / (query_layout.heads / key_layout.heads); }
  size_t first_query(int64_t sequence) const {
    return static_cast<size_t>(query_layout.sequences.begin(sequence));
  }
  size_t queries(int64_t sequence) const {
    return static_cast<size_t>(query_layout.sequences.length(sequence));
  }
  // The softmax rows are stored head after head within each sequence.
  template <typename T>
  kernels::SoftmaxRows<T> softmax_rows(std::span<T> largest, std::span<T> sums, int64_t sequence,
                                       int64_t head) const {
    const size_t heads_before = static_cast<size_t>(head) * queries(sequence);
    const size_t first = first_query(sequence) * static_cast<size_t>(heads()) + heads_before;
    return {largest.subspan(first, queries(sequence)), sums.subspan(first, queries(sequence))};
  }
};

// What the forward pass keeps for the backward pass: one number per head and query.
struct SoftmaxTensors {
  Tensor largest;
  Tensor sums;
};

template <typename T>
std::span<T> table_row(std::span<T> table, const Shape& shape, int64_t row) {
  return table.subspan(static_cast<size_t>(row * shape.columns()),
                       static_cast<size_t>(shape.columns()));
}

template <typename T>
kernels::AttentionHead<T> head_of(const Plan& plan, int64_t sequence, int64_t head) {
  kernels::AttentionHead<T> result;
  const int64_t key_head = plan.key_head(head);
  result.queries = plan.query_layout.view(plan.score.queries.value().data<T>(), sequence, head);
  result.keys = plan.key_layout.view(plan.score.keys.value().data<T>(), sequence, key_head);
  result.values = plan.value_layout.view(plan.values.value().data<T>(), sequence, key_head);
  result.form = plan.score.form;
  result.scale = static_cast<T>(plan.score.scale);
  if (plan.score.vector.present()) result.vector = plan.score.vector.value().span<T>();
  if (!plan.ranges.empty())
    result.ranges =
        std::span(plan.ranges).subspan(plan.first_query(sequence), plan.queries(sequence));
  const Mask& mask = plan.mask;
  if (mask.allowed)
    result.allowed = mask_view(mask.allowed->allowed.data(), mask.allowed->shape, sequence, head);
  if (mask.bias.present())
    result.bias = mask_view(mask.bias.value().data<T>(), mask.bias.shape(), sequence, head);
  if (const Variable& table = mask.distance_bias.table; table.present()) {
    result.distance_bias = table_row(table.value().span<T>(), table.shape(), head);
    // The kernel counts queries from 0; here the first one may be at a later position among the
    // keys.
    result.distance_origin = mask.distance_bias.origin - mask.first_query;
  }
  result.dropout = plan.dropout;
  result.dropout_key =
      derive_key(plan.dropout_key, static_cast<uint64_t>(sequence * plan.heads() + head));
  return result;
}

template <typename T>
MatrixView<T> weights_view(Tensor& weights, const Plan& plan, int64_t sequence, int64_t head) {
  if (!weights.present()) return {};
  const int64_t rows = plan.query_layout.sequences.longest(),
                columns = plan.key_layout.sequences.longest();
  return {weights.data<T>() + (sequence * plan.heads() + head) * rows * columns,
          plan.query_layout.sequences.length(sequence), plan.key_layout.sequences.length(sequence),
          columns};
}

template <typename T>
void forward(const Plan& plan, Tensor& output, SoftmaxTensors& softmax, Tensor& weights) {
  for (int64_t s = 0; s < plan.sequences(); ++s)
    for (int64_t h = 0; h < plan.heads(); ++h)
      kernels::attention_forward(
          head_of<T>(plan, s, h), plan.output_layout.view(output.data<T>(), s, h),
          plan.softmax_rows(softmax.largest.span<T>(), softmax.sums.span<T>(), s, h),
          weights_view<T>(weights, plan, s, h));
}

// Where each gradient goes; absent for what needs none.
struct Sinks {
  explicit Sinks(const Plan& plan)
      : queries(sink(plan.score.queries)),
        keys(sink(plan.score.keys)),
        values(sink(plan.values)),
        vector(sink(plan.score.vector)),
        bias(sink(plan.mask.bias)),
        distance_bias(sink(plan.mask.distance_bias.table)) {}

  static Tensor sink(const Variable& variable) {
    return variable.needs_gradient() ? variable.gradient_to_add_to() : Tensor();
  }

  Tensor queries, keys, values, vector, bias, distance_bias;
};

template <typename T>
kernels::AttentionGradients<T> gradients_of(const Plan& plan, Sinks& sinks, int64_t sequence,
                                            int64_t head) {
  kernels::AttentionGradients<T> result;
  const int64_t key_head = plan.key_head(head);
  if (sinks.queries.present())
    result.queries = plan.query_layout.view(sinks.queries.data<T>(), sequence, head);
  if (sinks.keys.present())
    result.keys = plan.key_layout.view(sinks.keys.data<T>(), sequence, key_head);
  if (sinks.values.present())
    result.values = plan.value_layout.view(sinks.values.data<T>(), sequence, key_head);
  if (sinks.vector.present()) result.vector = sinks.vector.span<T>();
  if (sinks.bias.present())
    result.bias = mask_view(sinks.bias.data<T>(), sinks.bias.shape(), sequence, head);
  if (sinks.distance_bias.present())
    result.distance_bias =
        table_row(sinks.distance_bias.span<T>(), sinks.distance_bias.shape(), head);
  return result;
}

template <typename T>
void backward(const Plan& plan, const Tensor& output, const SoftmaxTensors& softmax,
              const Tensor& output_gradient) {
  Sinks sinks(plan);
  const bool learns_bandwidth = plan.score.bandwidth.needs_gradient();
  T scale_gradient = 0;
  for (int64_t s = 0; s < plan.sequences(); ++s)
    for (int64_t h = 0; h < plan.heads(); ++h) {
      kernels::AttentionGradients<T> gradients = gradients_of<T>(plan, sinks, s, h);
      if (learns_bandwidth) gradients.scale = {&scale_gradient, 1};
      kernels::attention_backward(
          head_of<T>(plan, s, h), plan.output_layout.view(output.data<T>(), s, h),
          plan.softmax_rows(softmax.largest.span<T>(), softmax.sums.span<T>(), s, h),
          plan.output_layout.view(output_gradient.data<T>(), s, h), gradients);
    }
  if (learns_bandwidth) {
    // scale = 1 / (2 bandwidth²), so ∂scale/∂bandwidth = -1 / bandwidth³.
    Tensor bandwidth_gradient = plan.score.bandwidth.gradient_to_add_to();
    bandwidth_gradient.data<T>()[0] -=
        scale_gradient / static_cast<T>(std::pow(plan.score.bandwidth.value()[0], 3));
  }
}

Shape weights_shape(const Attention& attention, const Plan& plan) {
  const int64_t batch = plan.sequences(), heads = plan.heads();
  const int64_t queries = plan.query_layout.sequences.longest(),
                keys = plan.key_layout.sequences.longest();
  const int rank = attention.query_layout ? 4 : attention.queries.shape().rank();
  if (rank == 4 || (rank == 3 && heads > 1)) return {batch, heads, queries, keys};
  if (rank == 3) return {batch, queries, keys};
  return heads > 1 ? Shape{heads, queries, keys} : Shape{queries, keys};
}

void check_types(const Attention& attention, const Variable& other, std::string_view name) {
  require(!other.present() || other.type() == attention.queries.type(),
          "attend: the {} have type {} but the queries {}", name, name_of(other.type()),
          name_of(attention.queries.type()));
}

void check_agreement(const Attention& attention, const Plan& plan) {
  const Shape &queries = attention.queries.shape(), &keys = attention.keys.shape(),
              &values = attention.values.shape();
  check_types(attention, attention.keys, "keys");
  check_types(attention, attention.values, "values");
  check_types(attention, attention.mask.bias, "biases");
  check_types(attention, attention.mask.distance_bias.table, "distance biases");
  require(!attention.query_layout || plan.sequences() == plan.key_layout.sequences.sequences(),
          "attend: {} sequences of queries but {} of keys", plan.sequences(),
          plan.key_layout.sequences.sequences());
  require(queries.rank() == keys.rank() && keys.rank() == values.rank() &&
              plan.sequences() == plan.key_layout.sequences.sequences(),
          "attend: queries {}, keys {} and values {} do not have the same leading sizes", queries,
          keys, values);
  require(plan.key_layout.sequences == plan.value_layout.sequences &&
              plan.key_layout.heads == plan.value_layout.heads,
          "attend: keys {} and values {} do not pair up", keys, values);
  require(plan.key_layout.heads >= 1 && plan.heads() % plan.key_layout.heads == 0,
          "attend: {} KV heads do not divide {} query heads", plan.key_layout.heads, plan.heads());
  require(attention.dropout >= 0.0 && attention.dropout < 1.0,
          "attend: a dropout rate of {} but 0 <= rate < 1 was expected", attention.dropout);
  check_mask(attention.mask, plan.heads(), plan.query_layout.sequences, plan.key_layout.sequences);
}

// Scores see one head per row, whichever way the heads are stored.
Variable head_rows(const Variable& array, int64_t width) {
  return reshape(array, {array.value().elements() / width, width});
}

Plan make_plan(const Attention& attention) {
  require(attention.query_layout.has_value() == attention.key_layout.has_value(),
          "attend: only one of the query and key layouts is given");
  const int64_t kv_heads = attention.kv_heads == 0 ? attention.heads : attention.kv_heads;
  Plan plan;
  plan.query_layout =
      layout_of("queries", attention.queries, attention.heads, attention.query_layout);
  plan.key_layout = layout_of("keys", attention.keys, kv_heads, attention.key_layout);
  plan.value_layout = layout_of("values", attention.values, kv_heads, attention.key_layout);
  check_agreement(attention, plan);

  plan.score = prepare(attention.score, head_rows(attention.queries, plan.query_layout.width),
                       head_rows(attention.keys, plan.key_layout.width));
  plan.query_layout = plan.query_layout.with_width(plan.score.queries.shape().columns());
  plan.key_layout = plan.key_layout.with_width(plan.score.keys.shape().columns());
  plan.output_layout = plan.query_layout.with_width(plan.value_layout.width);
  plan.values = attention.values;
  plan.mask = attention.mask;
  plan.ranges = key_ranges(attention.mask, plan.query_layout.sequences, plan.key_layout.sequences);
  Tape& tape = attention.queries.tape();
  if (tape.training() && attention.dropout > 0.0) {
    plan.dropout = attention.dropout;
    plan.dropout_key = tape.next_key();
  }
  return plan;
}

}  // namespace

Attended attend(const Attention& attention) {
  const auto plan = std::make_shared<const Plan>(make_plan(attention));
  Tape& tape = attention.queries.tape();
  const Type type = attention.queries.type();
  const int64_t value_columns =
      plan->output_layout.width * (plan->output_layout.in_columns ? plan->heads() : 1);
  Tensor output = tape.allocate(attention.queries.shape().with_last(value_columns), type);
  const int64_t rows = plan->query_layout.sequences.tokens() * plan->heads();
  SoftmaxTensors softmax = {tape.allocate({rows}, type), tape.allocate({rows}, type)};
  Tensor weights;
  if (attention.want_weights) weights = Tensor::zeros(weights_shape(attention, *plan), type);
  with_type(type, [&](auto zero) { forward<decltype(zero)>(*plan, output, softmax, weights); });

  const Variable result =
      tape.record(output,
                  {plan->score.queries, plan->score.keys, plan->values, plan->score.vector,
                   plan->score.bandwidth, plan->mask.bias, plan->mask.distance_bias.table},
                  [plan, output, softmax](const Tensor& output_gradient) {
                    with_type(output.type(), [&](auto zero) {
                      backward<decltype(zero)>(*plan, output, softmax, output_gradient);
                    });
                  });
  return {result, weights};
}

}  // namespace heed
