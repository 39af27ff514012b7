// Multi-head attention with its projections: several heads side by side, each with its own view of
// the tokens.
#pragma once

#include <optional>
#include <string_view>

#include "heed/attention/attend.h"
#include "heed/attention/key_value_cache.h"
#include "heed/attention/positions.h"
#include "heed/base/random.h"
#include "heed/layers/linear.h"

namespace heed {

struct MultiHeadConfig {
  int64_t width = 512;  // of the incoming queries and of the output
  int64_t heads = 8;
  // Heads of keys and values (grouped-query; 1: multi-query); 0: as many as `heads`.
  int64_t kv_heads = 0;
  int64_t key_inputs = 0;    // width of the incoming keys; 0: `width`
  int64_t value_inputs = 0;  // width of the incoming values; 0: `width`
  int64_t head_width = 0;    // 0: width / heads
  bool bias = true;
  double dropout = 0.0;                         // on the weights
  PositionKind positions = PositionKind::none;  // rotary, alibi and relative only; others are
                                                // added to the tokens before
  int64_t max_distance = 128;  // the largest distance that relative positions distinguish
};

// Keys and values after their projections, ready for any number of queries.
struct KeyValues {
  Variable keys;    // (tokens, KV heads × head width)
  Variable values;  // (tokens, KV heads × head width)
  Ragged layout;
};

struct MultiHeadInputs {
  Variable queries = {};
  Variable keys = {};    // absent: self-attention
  Variable values = {};  // absent: the keys
  // Ragged batches: (tokens, width) with the layouts; the keys' layout is the queries' when absent.
  // Without layouts: dense (batch, length, width) or (length, width).
  std::optional<Ragged> query_layout = {};
  std::optional<Ragged> key_layout = {};
  Mask mask = {};
  bool want_weights = false;  // (batch, heads, queries, keys)
};

class MultiHeadAttention {
 public:
  MultiHeadAttention(const MultiHeadConfig& config, Rng& rng);

  // The output has the shape of the queries.
  Attended operator()(const MultiHeadInputs& inputs) const;

  // The same in two parts, for keys that are used many times (the source, in a decoder). `first` is
  // the position of the first token, for rotary positions.
  KeyValues project(const Variable& keys, const Variable& values, const Ragged& layout,
                    int64_t first = 0) const;
  Attended attend_to(const KeyValues& memory, const Variable& queries, const Ragged& query_layout,
                     const Mask& mask = {}, bool want_weights = false) const;

  // Causal self-attention of the next tokens (sequences × new tokens, width) upon all so far, which
  // the cache holds. The result equals that of the whole sequence at once. Gradients do not flow
  // into the cache.
  Attended step(const Variable& x, KeyValueCache& cache, bool want_weights = false) const;
  KeyValueCache make_cache(int64_t sequences, Type type = Type::float32,
                           Tape* memory = nullptr) const;

  // q_proj, k_proj, v_proj, out_proj (weight, bias), and relative_bias (heads, 2 max_distance + 1)
  // where positions are relative.
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
  void make_ready(Precision precision);  // see Linear
  const MultiHeadConfig& config() const { return config_; }

 private:
  bool attends_alone(const Variable& x, const KeyValueCache& cache, bool want_weights) const;
  Variable attend_alone(const Variable& queries, const KeyValueCache& cache) const;
  Attended attend_projected(const Variable& queries, Attention attention) const;
  DistanceBias distance_bias(const Variable& queries, int64_t max_distance) const;

  MultiHeadConfig config_;
  Linear query_, key_, value_, output_;
  Tensor relative_bias_;
};

}  // namespace heed
