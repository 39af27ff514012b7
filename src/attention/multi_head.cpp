#include "heed/attention/multi_head.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/attention/head_gates.h"
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

// The weights of one query, (heads × tokens), among those of all: (sequences, heads, queries,
// keys).
void keep_row(std::span<const float> weights, int64_t sequence, int64_t query, Tensor& all) {
  const int64_t heads = all.shape()[1], queries = all.shape()[2], keys = all.shape()[3];
  const auto tokens = static_cast<int64_t>(weights.size()) / heads;
  for (int64_t h = 0; h < heads; ++h)
    std::copy_n(weights.data() + h * tokens, tokens,
                all.data<float>() + ((sequence * heads + h) * queries + query) * keys);
}

}  // namespace

// Attention of one query after the other upon keys and values anywhere in memory.
class MultiHeadAttention::RowAsker {
 public:
  RowAsker(const MultiHeadAttention& layer, const Tensor& queries, Tensor& outputs)
      : config_(layer.config_),
        queries_(queries.matrix<float>()),
        outputs_(outputs.matrix<float>()) {}

  // To be filled in next: the keys and values of so many tokens.
  void see(int64_t tokens) {
    const auto count = static_cast<size_t>(tokens);
    keys.resize(count), values.resize(count);
    weights.resize(static_cast<size_t>(config_.heads) * count);
  }

  // Writes what the query of this row finds. `bias` is added to the scores.
  void ask(int64_t row, std::span<const float> bias = {}) {
    const std::span<float> output(outputs_.row(row), static_cast<size_t>(outputs_.columns));
    if (keys.empty()) {
      std::ranges::fill(output, 0.0f);
      return;
    }
    kernels::attend_rows({.query = {queries_.row(row), static_cast<size_t>(queries_.columns)},
                          .keys = keys,
                          .values = values,
                          .heads = config_.heads,
                          .kv_heads = config_.kv_heads,
                          .scale = 1.0f / std::sqrt(static_cast<float>(config_.head_width)),
                          .bias = bias},
                         weights, output);
  }

  std::vector<const float*> keys, values;
  std::vector<float> weights;  // of the query asked last, (heads × tokens)

 private:
  const MultiHeadConfig& config_;
  kernels::MatrixView<const float> queries_;
  kernels::MatrixView<float> outputs_;
};

MultiHeadAttention::MultiHeadAttention(const MultiHeadConfig& config, Initialiser init)
    : config_(completed(config)),
      query_(config_.width, config_.heads * config_.head_width, init, {.bias = config_.bias}),
      key_(config_.key_inputs, config_.kv_heads * config_.head_width, init, {.bias = config_.bias}),
      value_(config_.value_inputs, config_.kv_heads * config_.head_width, init,
             {.bias = config_.bias}),
      output_(config_.heads * config_.head_width, config_.width, init, {.bias = config_.bias}) {
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
                query_layout, inputs.mask, inputs.want_weights, inputs.record);
  attended.output = reshape(attended.output, inputs.queries.shape());
  return attended;
}

KeyValues MultiHeadAttention::project(const Variable& keys, const Variable& values,
                                      const Ragged& layout, const FirstPositions& first) const {
  Variable projected = key_(keys);
  if (config_.positions == PositionKind::rotary)
    projected = rotate(projected, layout, config_.kv_heads, first, config_.rotary_base);
  return {projected, value_(values), layout};
}

Attended MultiHeadAttention::attend_to(const KeyValues& memory, const Variable& queries,
                                       const Ragged& query_layout, const Mask& mask,
                                       bool want_weights, RecordedAttention* record,
                                       GuidedAttention* guided) const {
  Variable projected = query_(queries);
  if (config_.positions == PositionKind::rotary)
    projected =
        rotate(projected, query_layout, config_.heads, mask.first_query, config_.rotary_base);
  if (guided != nullptr)
    guided->loss = link_loss(projected, memory.keys,
                             {.query_layout = query_layout,
                              .key_layout = memory.layout,
                              .head = guided->head,
                              .heads = config_.heads,
                              .kv_heads = config_.kv_heads},
                             guided->links, guided->shares);
  return attend_projected(projected,
                          {.keys = memory.keys,
                           .values = memory.values,
                           .mask = mask,
                           .want_weights = want_weights || record != nullptr,
                           .query_layout = query_layout,
                           .key_layout = memory.layout},
                          record);
}

// Few queries ask each sequence, so each is a row by itself: the streamed kernel would leave lanes
// empty.
void MultiHeadAttention::attend_to_memory(const AskedMemory& asked, const Tensor& queries,
                                          int64_t first_row, Tensor& outputs) const {
  const auto& [memory, layout, weights] = asked;
  require(layout.sequences() == memory.layout.sequences(),
          "multi-head attention: {} sequences of queries for a memory of {}", layout.sequences(),
          memory.layout.sequences());
  if (weights != nullptr)
    *weights = Tensor::zeros(
        {layout.sequences(), config_.heads, layout.longest(), memory.layout.longest()});
  const kernels::MatrixView<const float> keys = memory.keys.value().matrix<float>(),
                                         values = memory.values.value().matrix<float>();
  RowAsker asker(*this, queries, outputs);
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    asker.see(memory.layout.length(s));
    for (size_t t = 0; t < asker.keys.size(); ++t) {
      const int64_t row = memory.layout.begin(s) + static_cast<int64_t>(t);
      asker.keys[t] = keys.row(row), asker.values[t] = values.row(row);
    }
    for (int64_t query = 0; query < layout.length(s); ++query) {
      asker.ask(first_row + layout.begin(s) + query);
      if (weights != nullptr) keep_row(asker.weights, s, query, *weights);
    }
  }
}

Variable MultiHeadAttention::attend_to_each(std::span<const AskedMemory> memories,
                                            const Variable& queries) const {
  require(config_.positions == PositionKind::none,
          "multi-head attention: several memories can be asked only without positions");
  Tape& tape = queries.tape();
  require(queries.type() == Type::float32 && !tape.recording(),
          "multi-head attention: several memories need float32 and a tape that does not record");
  int64_t rows = 0;
  for (const AskedMemory& asked : memories) rows += asked.query_layout.tokens();
  require(rows == queries.shape()[0],
          "multi-head attention: {} queries, but the memories are asked by {}", queries.shape()[0],
          rows);
  const Tensor projected = query_(queries).value();
  Tensor outputs = tape.allocate(projected.shape(), projected.type());
  int64_t begin = 0;
  for (const AskedMemory& asked : memories) {
    attend_to_memory(asked, projected, begin, outputs);
    begin += asked.query_layout.tokens();
  }
  return join_heads(tape.constant(outputs));
}

CacheSizes MultiHeadAttention::cache_sizes(int64_t layers) const {
  const int64_t width = config_.kv_heads * config_.head_width;
  return {.layers = layers, .key_width = width, .value_width = width};
}

Variable MultiHeadAttention::step(const Variable& x, KeyValueCache& cache, int64_t layer,
                                  RecordedAttention* record) const {
  Tape& tape = x.tape();
  const Ragged& added = cache.added();
  require(x.shape() == Shape{added.tokens(), config_.width},
          "multi-head attention: a step of shape {} but ({}, {}) was expected", x.shape(),
          added.tokens(), config_.width);
  require(x.type() == Type::float32 && !tape.recording(),
          "multi-head attention: a step needs float32 and a tape that does not record");
  const FirstPositions first = cache.first_positions();
  const KeyValues fresh = project(x, x, added, first);
  cache.store(layer, fresh.keys.value(), fresh.values.value());
  Variable queries = query_(x);
  if (config_.positions == PositionKind::rotary)
    queries = rotate(queries, added, config_.heads, first, config_.rotary_base);
  return join_heads(tape.constant(attend_to_cache(queries, cache, layer, record)));
}

// Each query sees the keys up to its own position.
Tensor MultiHeadAttention::attend_to_cache(const Variable& queries, const KeyValueCache& cache,
                                           int64_t layer, RecordedAttention* record) const {
  const Ragged& added = cache.added();
  Tensor outputs = queries.tape().allocate(queries.shape(), queries.type());
  std::optional<DistanceBias> distances;
  if (by_distance()) distances = distance_bias(queries, cache.longest());
  std::vector<float> bias;
  if (record != nullptr)
    record->weights =
        Tensor::zeros({added.sequences(), config_.heads, added.longest(), cache.longest()});
  RowAsker asker(*this, queries.value(), outputs);
  for (int64_t s = 0; s < added.sequences(); ++s)
    for (int64_t row = added.begin(s); row < added.end(s); ++row) {
      const int64_t position = cache.length(s) - (added.end(s) - row);
      asker.see(position + 1);
      cache.locate(layer, s, asker.keys, asker.values);
      if (distances) bias = step_bias(*distances, position);
      asker.ask(row, bias);
      if (record != nullptr) keep_row(asker.weights, s, row - added.begin(s), record->weights);
    }
  return outputs;
}

// What each head adds to the scores of the keys up to a query's own position.
std::vector<float> MultiHeadAttention::step_bias(const DistanceBias& bias, int64_t position) const {
  const kernels::MatrixView<const float> table = bias.table.value().matrix<float>();
  std::vector<float> added;
  for (int64_t h = 0; h < config_.heads; ++h)
    for (int64_t key = 0; key <= position; ++key)
      added.push_back(
          table(h, std::clamp<int64_t>(key - position + bias.origin, 0, table.columns - 1)));
  return added;
}

Attended MultiHeadAttention::attend_projected(const Variable& queries, Attention attention,
                                              RecordedAttention* record) const {
  attention.queries = queries;
  attention.heads = config_.heads;
  attention.kv_heads = config_.kv_heads;
  attention.dropout = config_.dropout;
  if (by_distance()) {
    // Distances reach from the first query to the last key, or the other way round.
    const int64_t query_length =
        attention.query_layout ? attention.query_layout->longest() : queries.shape()[-2];
    const int64_t key_length =
        attention.key_layout ? attention.key_layout->longest() : attention.keys.shape()[-2];
    attention.mask.distance_bias =
        distance_bias(queries, attention.mask.first_query + std::max(query_length, key_length));
  }
  Attended attended = attend(attention);
  if (record == nullptr) {
    attended.output = join_heads(attended.output);
  } else {
    record->weights = attended.weights;
    attended.output = join_recorded_heads(attended.output, attention, *record);
  }
  return attended;
}

Variable MultiHeadAttention::join_heads(const Variable& found) const {
  return output_(scale_heads(found, gates_));
}

Variable MultiHeadAttention::join_recorded_heads(const Variable& found, const Attention& attention,
                                                 RecordedAttention& record) const {
  record.values = attention.values.value();
  record.output_weight = output_.whole_weight();
  record.gates = gates_;
  record.gradient = std::make_shared<Tensor>();
  return output_(keep_gradient(scale_heads(found, gates_), record.gradient));
}

DistanceBias MultiHeadAttention::distance_bias(const Variable& queries,
                                               int64_t max_distance) const {
  Tape& tape = queries.tape();
  if (config_.positions == PositionKind::relative) return relative_bias(tape.watch(relative_bias_));
  return alibi(tape, config_.heads, max_distance, queries.type());
}

MultiHeadAttention MultiHeadAttention::prepared(Preparation how) const {
  MultiHeadAttention copy = *this;
  for (Linear* projection : {&copy.query_, &copy.key_, &copy.value_, &copy.output_})
    *projection = projection->prepared(how);
  return copy;
}

MultiHeadAttention MultiHeadAttention::gated(std::vector<double> gates) const {
  require(gates.empty() || static_cast<int64_t>(gates.size()) == config_.heads,
          "multi-head attention: {} gates for {} heads", gates.size(), config_.heads);
  MultiHeadAttention copy = *this;
  copy.gates_ = std::move(gates);
  return copy;
}

void MultiHeadAttention::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit_linears(
      prefix, [&](const std::string& name, Linear& layer) { layer.visit_parameters(name, visit); });
  if (relative_bias_.present()) visit(dotted(prefix, "relative_bias"), relative_bias_);
}

void MultiHeadAttention::visit_linears(std::string_view prefix, const LinearVisitor& visit) {
  visit(dotted(prefix, "q_proj"), query_);
  visit(dotted(prefix, "k_proj"), key_);
  visit(dotted(prefix, "v_proj"), value_);
  visit(dotted(prefix, "out_proj"), output_);
}

}  // namespace heed
