#include "heed/attention/multi_head.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/autograd/layout.h"
#include "heed/base/error.h"
#include "heed/kernels/query_attention.h"

namespace heed {

namespace {

// Fills in the sizes that follow from others, or reports what does not fit.
MultiHeadConfig completed(MultiHeadConfig config) {
  require(config.heads >= 1 && config.width >= 1,
          "multi-head attention: {} heads and a width of {}", config.heads, config.width);
  require(config.head_width != 0 || config.width % config.heads == 0,
          "multi-head attention: {} heads do not divide a width of {}", config.heads, config.width);
  if (config.head_width == 0) config.head_width = config.width / config.heads;
  require(config.head_width >= 1, "multi-head attention: a head width of {}", config.head_width);
  if (config.kv_heads == 0) config.kv_heads = config.heads;
  require(config.kv_heads >= 1 && config.heads % config.kv_heads == 0,
          "multi-head attention: {} KV heads do not divide {} heads", config.kv_heads,
          config.heads);
  if (config.key_inputs == 0) config.key_inputs = config.width;
  if (config.value_inputs == 0) config.value_inputs = config.width;
  require(config.key_inputs >= 1 && config.value_inputs >= 1,
          "multi-head attention: keys of width {} and values of width {}", config.key_inputs,
          config.value_inputs);
  require(config.dropout >= 0.0 && config.dropout < 1.0,
          "multi-head attention: a dropout rate of {} but 0 <= rate < 1 was expected",
          config.dropout);
  require(config.positions != PositionKind::rotary || config.head_width % 2 == 0,
          "multi-head attention: rotary positions need an even head width but it is {}",
          config.head_width);
  require(config.positions != PositionKind::relative || config.max_distance >= 0,
          "multi-head attention: relative positions with a maximum distance of {}",
          config.max_distance);
  return config;
}

Ragged equal_lengths(const Variable& x) {
  const Shape& shape = x.shape();
  require(
      shape.rank() == 2 || shape.rank() == 3,
      "multi-head attention: shape {} but (length, width) or (batch, length, width) was expected",
      shape);
  const int64_t batch = shape.rank() == 3 ? shape[0] : 1;
  return Ragged(std::vector<int64_t>(static_cast<size_t>(batch), shape[-2]));
}

Variable as_rows(const Variable& x) { return reshape(x, {x.shape().rows(), x.shape().columns()}); }

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadConfig& config, Rng& rng)
    : config_(completed(config)),
      query_(config_.width, config_.heads * config_.head_width, rng, {.bias = config_.bias}),
      key_(config_.key_inputs, config_.kv_heads * config_.head_width, rng, {.bias = config_.bias}),
      value_(config_.value_inputs, config_.kv_heads * config_.head_width, rng,
             {.bias = config_.bias}),
      output_(config_.heads * config_.head_width, config_.width, rng, {.bias = config_.bias}) {
  if (config_.positions == PositionKind::relative)
    relative_bias_ = Tensor::zeros({config_.heads, 2 * config_.max_distance + 1});
}

Attended MultiHeadAttention::operator()(const MultiHeadInputs& inputs) const {
  require(inputs.queries.present(), "multi-head attention: the queries are missing");
  const Variable keys = inputs.keys.present() ? inputs.keys : inputs.queries;
  const Variable values = inputs.values.present() ? inputs.values : keys;
  const Ragged query_layout =
      inputs.query_layout ? *inputs.query_layout : equal_lengths(inputs.queries);
  const Ragged key_layout = inputs.key_layout                               ? *inputs.key_layout
                            : inputs.keys.present() && !inputs.query_layout ? equal_lengths(keys)
                                                                            : query_layout;
  Attended attended =
      attend_to(project(as_rows(keys), as_rows(values), key_layout), as_rows(inputs.queries),
                query_layout, inputs.mask, inputs.want_weights);
  attended.output = reshape(attended.output, inputs.queries.shape());
  return attended;
}

KeyValues MultiHeadAttention::project(const Variable& keys, const Variable& values,
                                      const Ragged& layout, int64_t first) const {
  Variable projected = key_(keys);
  if (config_.positions == PositionKind::rotary)
    projected = rotate(projected, layout, config_.kv_heads, first);
  return {projected, value_(values), layout};
}

Attended MultiHeadAttention::attend_to(const KeyValues& memory, const Variable& queries,
                                       const Ragged& query_layout, const Mask& mask,
                                       bool want_weights) const {
  Variable projected = query_(queries);
  if (config_.positions == PositionKind::rotary)
    projected = rotate(projected, query_layout, config_.heads, mask.first_query);
  return attend_projected(projected, {.keys = memory.keys,
                                      .values = memory.values,
                                      .mask = mask,
                                      .want_weights = want_weights,
                                      .query_layout = query_layout,
                                      .key_layout = memory.layout});
}

KeyValueCache MultiHeadAttention::make_cache(int64_t sequences, Type type, Tape* memory) const {
  const int64_t width = config_.kv_heads * config_.head_width;
  return KeyValueCache(sequences, width, width, type, memory);
}

Attended MultiHeadAttention::step(const Variable& x, KeyValueCache& cache,
                                  bool want_weights) const {
  const int64_t sequences = cache.sequences(), first = cache.length();
  require(x.shape().rank() == 2 && sequences > 0 && x.shape()[0] % sequences == 0,
          "multi-head attention: a step of shape {} does not fit {} sequences", x.shape(),
          sequences);
  const int64_t added = x.shape()[0] / sequences;
  const Ragged layout(std::vector<int64_t>(static_cast<size_t>(sequences), added));

  const KeyValues fresh = project(x, x, layout, first);
  cache.append(fresh.keys.value(), fresh.values.value());
  Variable queries = query_(x);
  if (config_.positions == PositionKind::rotary)
    queries = rotate(queries, layout, config_.heads, first);

  if (attends_alone(x, cache, want_weights)) return {output_(attend_alone(queries, cache)), {}};
  Tape& tape = x.tape();
  const Mask mask{.causal = true, .first_query = first};
  const Shape grouped{sequences, added, queries.shape().columns()};
  Attended attended =
      attend_projected(reshape(queries, grouped), {.keys = tape.constant(cache.keys()),
                                                   .values = tape.constant(cache.values()),
                                                   .mask = mask,
                                                   .want_weights = want_weights});
  attended.output = reshape(attended.output, x.shape());
  return attended;
}

// Whether each sequence has one query that sees all keys, and the weights are not wanted.
bool MultiHeadAttention::attends_alone(const Variable& x, const KeyValueCache& cache,
                                       bool want_weights) const {
  const bool by_distance =
      config_.positions == PositionKind::alibi || config_.positions == PositionKind::relative;
  return x.shape()[0] == cache.sequences() && x.type() == Type::float32 && !by_distance &&
         !want_weights && !x.tape().recording();
}

Variable MultiHeadAttention::attend_alone(const Variable& queries,
                                          const KeyValueCache& cache) const {
  const auto length = static_cast<size_t>(cache.length());
  std::vector<const float*> keys(length), values(length);
  std::vector<float> weights(static_cast<size_t>(config_.heads) * length);
  const Tensor& asked = queries.value();
  Tensor outputs = queries.tape().allocate(queries.shape(), queries.type());
  for (int64_t s = 0; s < cache.sequences(); ++s) {
    cache.locate(s, keys, values);
    kernels::attend_rows({.query = asked.slice(s, s + 1).span<float>(),
                          .keys = keys,
                          .values = values,
                          .heads = config_.heads,
                          .kv_heads = config_.kv_heads,
                          .scale = 1.0f / std::sqrt(static_cast<float>(config_.head_width))},
                         weights, outputs.slice(s, s + 1).span<float>());
  }
  return queries.tape().constant(outputs);
}

Attended MultiHeadAttention::attend_projected(const Variable& queries, Attention attention) const {
  attention.queries = queries;
  attention.heads = config_.heads;
  attention.kv_heads = config_.kv_heads;
  attention.dropout = config_.dropout;
  if (config_.positions == PositionKind::alibi || config_.positions == PositionKind::relative) {
    // The largest distance is between the first query and the last key, or the other way round.
    const int64_t query_length =
        attention.query_layout ? attention.query_layout->longest() : queries.shape()[-2];
    const int64_t key_length =
        attention.key_layout ? attention.key_layout->longest() : attention.keys.shape()[-2];
    attention.mask.distance_bias =
        distance_bias(queries, attention.mask.first_query + std::max(query_length, key_length));
  }
  Attended attended = attend(attention);
  attended.output = output_(attended.output);
  return attended;
}

DistanceBias MultiHeadAttention::distance_bias(const Variable& queries,
                                               int64_t max_distance) const {
  Tape& tape = queries.tape();
  if (config_.positions == PositionKind::relative) return relative_bias(tape.watch(relative_bias_));
  return alibi(tape, config_.heads, max_distance, queries.type());
}

void MultiHeadAttention::make_ready(Precision precision) {
  for (Linear* projection : {&query_, &key_, &value_, &output_}) projection->make_ready(precision);
}

void MultiHeadAttention::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  query_.visit_parameters(dotted(prefix, "q_proj"), visit);
  key_.visit_parameters(dotted(prefix, "k_proj"), visit);
  value_.visit_parameters(dotted(prefix, "v_proj"), visit);
  output_.visit_parameters(dotted(prefix, "out_proj"), visit);
  if (relative_bias_.present()) visit(dotted(prefix, "relative_bias"), relative_bias_);
}

}  // namespace heed
