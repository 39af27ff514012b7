// Multi-head attention with its projections: several heads side by side, each with its own view of
// the tokens.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heed/attention/attend.h"
#include "heed/attention/key_value_cache.h"
#include "heed/attention/link_loss.h"
#include "heed/attention/positions.h"
#include "heed/attention/recorder.h"
#include "heed/layers/initialisation.h"
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
  double rotary_base = 10000.0;
  int64_t max_distance = 128;  // the largest distance that relative positions distinguish
};

// Keys and values after their projections, ready for any number of queries.
struct KeyValues {
  Variable keys;    // (tokens, KV heads × head width)
  Variable values;  // (tokens, KV heads × head width)
  Ragged layout;
};

// A part of the queries, and what they ask.
struct AskedMemory {
  const KeyValues& memory;
  Ragged query_layout;        // a sequence of queries for each sequence of the memory
  Tensor* weights = nullptr;  // where they are wanted: as in Attended
};

// What one head is to attend to, and how far it is from that.
struct GuidedAttention {
  int64_t head = 0;  // from 0
  std::span<const TokenLink> links = {};
  std::span<const float> shares = {};  // of the sequences; none: all are 1
  Variable loss = {};                  // receives what link_loss says
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
  bool want_weights = false;            // (batch, heads, queries, keys)
  RecordedAttention* record = nullptr;  // where somebody looks
};

class MultiHeadAttention {
 public:
  MultiHeadAttention(const MultiHeadConfig& config, Initialiser init);

  // The output has the shape of the queries.
  Attended operator()(const MultiHeadInputs& inputs) const;

  // The same in two parts, for keys that are asked many times (a decoder's view of the source).
  KeyValues project(const Variable& keys, const Variable& values, const Ragged& layout,
                    const FirstPositions& first = {}) const;
  Attended attend_to(const KeyValues& memory, const Variable& queries, const Ragged& query_layout,
                     const Mask& mask = {}, bool want_weights = false,
                     RecordedAttention* record = nullptr, GuidedAttention* guided = nullptr) const;
  // Upon several memories at once: the rows of the queries are in the order of the memories. For
  // attention without positions, of float32, on a tape that does not record.
  Variable attend_to_each(std::span<const AskedMemory> memories, const Variable& queries) const;

  // Causal self-attention of the new tokens that the cache has grown by, (tokens, width), upon all
  // so far. Gives what the whole sequences at once would give for these tokens. Of float32, on a
  // tape that does not record.
  Variable step(const Variable& x, KeyValueCache& cache, int64_t layer = 0,
                RecordedAttention* record = nullptr) const;
  // What a stack of layers like this one needs.
  CacheSizes cache_sizes(int64_t layers = 1) const;

  // q_proj, k_proj, v_proj, out_proj (weight, bias), and relative_bias (heads, 2 max_distance + 1)
  // where positions are relative.
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
  void visit_linears(std::string_view prefix, const LinearVisitor& visit);
  MultiHeadAttention prepared(Preparation how) const;  // see Linear
  // The same layer, sharing its weights, with gates on its heads; none: all are 1.
  MultiHeadAttention gated(std::vector<double> gates) const;
  const std::vector<double>& gates() const { return gates_; }
  const MultiHeadConfig& config() const { return config_; }

 private:
  // Whether scores are shifted by the distance of key and query.
  bool by_distance() const {
    return config_.positions == PositionKind::alibi || config_.positions == PositionKind::relative;
  }
  class RowAsker;
  void attend_to_memory(const AskedMemory& asked, const Tensor& queries, int64_t first_row,
                        Tensor& outputs) const;
  Tensor attend_to_cache(const Variable& queries, const KeyValueCache& cache, int64_t layer,
                         RecordedAttention* record) const;
  std::vector<float> step_bias(const DistanceBias& bias, int64_t position) const;
  Attended attend_projected(const Variable& queries, Attention attention,
                            RecordedAttention* record) const;
  // What the heads found, (tokens, heads × head width), through their gates and W^O.
  Variable join_heads(const Variable& found) const;
  Variable join_recorded_heads(const Variable& found, const Attention& attention,
                               RecordedAttention& record) const;
  DistanceBias distance_bias(const Variable& queries, int64_t max_distance) const;

  MultiHeadConfig config_;
  Linear query_, key_, value_, output_;
  Tensor relative_bias_;
  std::vector<double> gates_;  // of the heads; none: all are 1
};

}  // namespace heed
