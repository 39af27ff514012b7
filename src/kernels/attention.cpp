// The driver of streamed attention: blocks of queries walk over the blocks of keys that they see. Each pair
// of blocks passes the stages score, shift and narrow, softmax, accumulate; the backward pass scores again
// and reads the softmax from the log sums.
#include "heed/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include <hwy/aligned_allocator.h>

#include "heed/kernels/reference/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "heed/kernels/attention_scores-inl.h"
#include "heed/kernels/attention_shift-inl.h"
#include "heed/kernels/attention_sight-inl.h"
#include "heed/kernels/attention_softmax-inl.h"
#include "heed/kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

constexpr float kLn2 = 0.6931471805599453f;

// All the memory of one call. A thread keeps its room from call to call: many calls are for heads of the same
// sizes, and for a short sentence even the layout is worth remembering.
struct Room {
  float *largest, *sums, *factors, *norms, *log_sums, *means;  // by query
  float *vector, *parameter;                                   // by depth
  float *query_columns, *gradient_columns;                     // (depth, kQueryBlock)
  float *scores, *score_gradients;                             // (kKeyBlock, kQueryBlock)
  float *shift_rows, *shift_columns;                           // (kQueryBlock, kKeyBlock) and its transpose
  float* padding;                                              // (kLanes, any depth), for `transpose`
  float* output;                                               // (kQueryBlock, value depth)
  float *key_rows, *value_rows, *query_rows, *gradient_rows;  // copies of rows that do not fill whole vectors
  float *query_sums, *key_sums, *value_sums;                  // gradients of such rows

  static const Room& of_thread(const AttentionHead<float>& head) {
    thread_local Room room;
    room.fit(head.queries.columns, head.values.columns);
    return room;
  }

 private:
  void fit(int64_t depth, int64_t value_depth) {
    if (depth == depth_ && value_depth == value_depth_) return;
    const int64_t floats = lay_out(nullptr, depth, value_depth);
    if (floats > capacity_) {
      capacity_ = depth_ = value_depth_ = 0;
      memory_ = hwy::AllocateAligned<float>(static_cast<size_t>(floats));
      if (memory_ == nullptr) throw std::bad_alloc();
      capacity_ = floats;
    }
    lay_out(memory_.get(), depth, value_depth);
    depth_ = depth;
    value_depth_ = value_depth;
  }

  // Points all parts into `memory`, if there is any, and returns how many floats they need.
  int64_t lay_out(float* memory, int64_t exact_depth, int64_t exact_value_depth) {
    const int64_t depth = round_up(exact_depth, kLanes);
    const int64_t value_depth = round_up(exact_value_depth, kLanes);
    int64_t size = 0;
    const auto take = [&](float*& part, int64_t floats) {
      part = memory == nullptr ? nullptr : memory + size;
      // The gap keeps the parts from lying a multiple of 4096 bytes apart, where loads wait for unrelated
      // stores.
      size += round_up(floats, 16) + 48;
    };
    take(padding, kLanes * std::max({depth, value_depth, kKeyBlock, kQueryBlock}));
    for (float** part : {&largest, &sums, &factors, &norms, &log_sums, &means}) take(*part, kQueryBlock);
    for (float** part : {&vector, &parameter}) take(*part, depth);
    take(query_columns, depth * kQueryBlock);
    take(gradient_columns, value_depth * kQueryBlock);
    for (float** part : {&scores, &score_gradients, &shift_rows, &shift_columns})
      take(*part, kKeyBlock * kQueryBlock);
    for (float** part : {&output, &gradient_rows}) take(*part, kQueryBlock * value_depth);
    for (float** part : {&query_rows, &query_sums}) take(*part, kQueryBlock * depth);
    for (float** part : {&key_rows, &key_sums}) take(*part, kKeyBlock * depth);
    for (float** part : {&value_rows, &value_sums}) take(*part, kKeyBlock * value_depth);
    return size;
  }

  hwy::AlignedFreeUniquePtr<float[]> memory_;
  int64_t capacity_ = 0;
  int64_t depth_ = 0;
  int64_t value_depth_ = 0;
};

// The rows [first, first + count) of a matrix, as they are if they fill whole vectors, else a padded copy in
// `room`.
Rows<const float> open_rows(MatrixView<const float> matrix, int64_t first, int64_t count, float* room) {
  if (matrix.columns % kLanes == 0) return {matrix.row(first), matrix.row_stride};
  const int64_t stride = round_up(matrix.columns, kLanes);
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(matrix.row(first + r), matrix.columns, room + r * stride);
    std::fill(room + r * stride + matrix.columns, room + (r + 1) * stride, 0.0f);
  }
  return {room, stride};
}

// The rows of a gradient, to be added to: as they are if they fill whole vectors, else zeros that are added
// on closing.
class OpenGradient {
 public:
  OpenGradient(MatrixView<float> matrix, int64_t first, int64_t count, float* room)
      : matrix_(matrix), first_(first), count_(count), copied_(matrix.columns % kLanes != 0) {
    if (copied_) {
      rows_ = {room, round_up(matrix.columns, kLanes)};
      std::fill_n(room, count * rows_.stride, 0.0f);
    } else if (matrix.present()) {
      rows_ = {matrix.row(first), matrix.row_stride};
    }
  }

  bool wanted() const { return matrix_.present(); }
  Rows<float> rows() const { return rows_; }

  void close() const {
    if (!copied_) return;
    for (int64_t r = 0; r < count_; ++r) {
      const float* from = rows_.row(r);
      float* to = matrix_.row(first_ + r);
      for (int64_t c = 0; c < matrix_.columns; ++c) to[c] += from[c];
    }
  }

 private:
  MatrixView<float> matrix_;
  int64_t first_;
  int64_t count_;
  bool copied_;
  Rows<float> rows_;
};

// tile(j, i) = Σ_h keys(j, h) ∘ columns(h, i), for all pairs that may see each other.
template <class Operation, class Finish>
void pair_tile(const BlockSight& sight, Rows<const float> keys, const float* columns, int64_t depth,
               const Operation& operation, const Finish& finish) {
  for (Run rest = sight.any; !rest.empty();) {
    const Run alike = sight.alike(rest.begin);
    const Run seeing = sight.vectors_of(alike);
    const int64_t column = seeing.begin * kLanes;
    if (!seeing.empty())
      for (const Run piece : Pieces(alike, most_rows<Operation>(seeing.size())))
        multiply_rows(piece.size(), seeing.size(), Along{keys.row(piece.begin), keys.stride},
                      Rows<const float>{columns + column, kQueryBlock}, depth, operation,
                      finish.at(piece.begin, column));
    rest.begin = alike.end;
  }
}

// Sums over the keys for each query: c(i, :) from Σ_j tile(j, i) ∘ rows(j, :).
template <class Operation, class Finish>
void accumulate_by_query(const BlockSight& sight, const float* tile, Rows<const float> rows, int64_t vectors,
                         const Operation& operation, const Finish& finish) {
  for (const Run piece : Pieces({0, sight.queries}, most_rows<Operation>(vectors))) {
    const Run keys = sight.keys_of(piece);
    const int64_t first = keys.empty() ? 0 : keys.begin;
    multiply_rows(piece.size(), vectors, Across{tile + first * kQueryBlock + piece.begin, kQueryBlock},
                  Rows<const float>{rows.row(first), rows.stride}, keys.size(), operation.at(piece.begin, 0),
                  finish.at(piece.begin, 0));
  }
}

// Sums over the queries for each key: c(j, :) from Σ_i tile(j, i) ∘ rows(i, :).
template <class Operation, class Finish>
void accumulate_by_key(const BlockSight& sight, const float* tile, Rows<const float> rows, int64_t vectors,
                       const Operation& operation, const Finish& finish) {
  for (const Run piece : Pieces(sight.any, most_rows<Operation>(vectors))) {
    const Run queries = sight.queries_of(piece);
    if (queries.empty()) continue;
    multiply_rows(piece.size(), vectors, Along{tile + piece.begin * kQueryBlock + queries.begin, kQueryBlock},
                  Rows<const float>{rows.row(queries.begin), rows.stride}, queries.size(),
                  operation.at(piece.begin, 0), finish.at(piece.begin, 0));
  }
}

// The part of both passes that is the same: scores of a pair of blocks.
template <ScoreForm kForm>
class Stream {
 public:
  Stream(const AttentionHead<float>& head, const Room& room)
      : head_(head), room_(room), form_(head, room.vector), dropout_(head) {
    if (kForm != ScoreForm::additive) return;
    std::copy(head.vector.begin(), head.vector.end(), room.vector);
    std::fill(room.vector + head.vector.size(), room.vector + round_up(head.queries.columns, kLanes), 0.0f);
  }

  const Form<kForm>& form() const { return form_; }
  const Dropout& dropout() const { return dropout_; }
  const BlockSight& sight() const { return sight_; }
  TilePlace place() const { return place_; }
  Rows<const float> keys() const { return keys_; }
  int64_t key_count() const { return key_count_; }
  Run seen() const { return query_sight_.any; }
  Rows<float> scores() const { return {room_.scores, kQueryBlock}; }
  ShiftRoom shift_room() const { return {room_.shift_rows, room_.shift_columns, room_.padding}; }
  Rows<float> column(float* tile, int64_t v) const { return {tile + v * kLanes, kQueryBlock}; }
  Words positions(int64_t v, int64_t key) const {
    return dropout_.positions(place_.first_query + v * kLanes, place_.first_key + key);
  }

  void open_queries(int64_t first, int64_t count) {
    place_.first_query = first;
    query_sight_.look(head_, first, count);
    transpose({head_.queries.row(first), head_.queries.row_stride}, count, head_.queries.columns,
              form_.query_factor(), {room_.query_columns, kQueryBlock}, room_.padding);
  }

  // Takes up the block of keys that begins at `first`. False if no query of the block sees any of them.
  bool open_keys(int64_t first) {
    key_count_ = std::min(kKeyBlock, query_sight_.any.end - first);
    place_.first_key = first;
    sight_.look(query_sight_, {first, first + key_count_});
    if (sight_.any.empty()) return false;
    keys_ = open_rows(head_.keys, first, key_count_, room_.key_rows);
    return true;
  }

  // The scores of the two blocks, shifted and narrowed.
  void score() const {
    pair_tile(sight_, keys_, room_.query_columns, head_.keys.columns, form_.score(), form_.finish(scores()));
    if (head_.bias.present()) add_bias(scores(), sight_, place_, head_.bias, shift_room());
    if (!head_.distance_bias.empty()) add_distance_bias(scores(), sight_, place_, head_);
    if (head_.allowed.present()) forbid(scores(), sight_, place_, head_.allowed, shift_room());
    if (!sight_.everything) mask_edges(scores(), sight_);
  }

  // Whether scores of the tile may be -infinity.
  bool masked() const {
    return !sight_.everything || head_.allowed.present() || head_.bias.present() ||
           !head_.distance_bias.empty();
  }

  // Zeros where a vector of queries sees none of the keys that others of the block see.
  void clear_unseen(float* tile, int64_t v) const {
    const Run some = sight_.some[v];
    if (some.empty()) return fill_column(column(tile, v), sight_.any.begin, sight_.any.end, 0.0f);
    fill_column(column(tile, v), sight_.any.begin, some.begin, 0.0f);
    fill_column(column(tile, v), some.end, sight_.any.end, 0.0f);
  }

  // Scores to weights, with the log sums (in units of log 2) known.
  void weigh(const float* log_sums) const {
    for (int64_t v = 0; v < sight_.vectors; ++v) {
      const Rows<float> scores = column(room_.scores, v);
      if (masked()) {
        weights_column<true>(scores, sight_.some[v], log_sums + v * kLanes);
      } else {
        weights_column<false>(scores, sight_.some[v], log_sums + v * kLanes);
      }
      clear_unseen(room_.scores, v);
    }
  }

  void drop() const {
    if (!dropout_.active()) return;
    for (int64_t v = 0; v < sight_.vectors; ++v)
      drop_column(column(room_.scores, v), sight_.some[v], dropout_, positions(v, sight_.some[v].begin));
  }

 private:
  const AttentionHead<float>& head_;
  const Room& room_;
  Form<kForm> form_;
  Dropout dropout_;
  QuerySight query_sight_;
  BlockSight sight_;
  TilePlace place_ = {};
  Rows<const float> keys_;
  int64_t key_count_ = 0;
};

// Scores to weights relative to the largest score so far, which the log sum's parts follow.
template <ScoreForm kForm>
void softmax_tile(const Stream<kForm>& stream, const Room& room) {
  const BlockSight& sight = stream.sight();
  // All maxima first: otherwise each column's exponentials would wait for its maxima.
  for (int64_t v = 0; v < sight.vectors; ++v)
    raise_largest({room.scores + v * kLanes, kQueryBlock}, sight.some[v], room.largest + v * kLanes,
                  room.factors + v * kLanes);
  for (int64_t v = 0; v < sight.vectors; ++v) {
    const Rows<float> scores = stream.column(room.scores, v);
    const float* largest = room.largest + v * kLanes;
    const float* factors = room.factors + v * kLanes;
    float* sums = room.sums + v * kLanes;
    if (stream.masked()) {
      softmax_column<true>(scores, sight.some[v], largest, factors, sums);
    } else {
      softmax_column<false>(scores, sight.some[v], largest, factors, sums);
    }
    stream.clear_unseen(room.scores, v);
  }
}

// Ends the softmax of a block of queries: sets `norms`, which make its sums the output, `log_sums` (in units
// of log 2), and the caller's log sums in natural units.
inline void end_softmax(int64_t queries, float growth, const Room& room, float* log_sums) {
  const FloatTag d;
  for (int64_t q = 0; q < queries; q += kLanes) {
    const Vector sum = hn::Load(d, room.sums + q);
    const auto none = hn::Eq(sum, hn::Zero(d));
    const Vector safe = hn::IfThenElse(none, hn::Set(d, 1.0f), sum);
    hn::Store(hn::IfThenZeroElse(none, hn::Div(hn::Set(d, growth), safe)), d, room.norms + q);
    const Vector largest = hn::Load(d, room.largest + q);
    // Where there is no key, any finite number gives weights of 0, which are masked.
    const Vector log_sum =
        hn::IfThenZeroElse(none, hn::MulAdd(hn::Log(d, safe), hn::Set(d, kLog2E), largest));
    hn::Store(log_sum, d, room.log_sums + q);
    const Vector natural = hn::IfThenElse(none, hn::Set(d, kNever), hn::Mul(log_sum, hn::Set(d, kLn2)));
    if (q + kLanes <= queries) {
      hn::StoreU(natural, d, log_sums + q);
    } else {
      HWY_ALIGN float lanes[kLanes];
      hn::Store(natural, d, lanes);
      std::copy_n(lanes, queries - q, log_sums + q);
    }
  }
}

// The part of an output that a block of queries writes: directly if it fills whole vectors, else by way of
// `room`.
struct OutputRows {
  Rows<float> rows;
  MatrixView<float> output;
  int64_t first;

  OutputRows(MatrixView<float> whole, int64_t first_query, const Room& room)
      : output(whole), first(first_query) {
    rows = {output.row(first), output.row_stride};
    if (output.columns % kLanes != 0) rows = {room.output, round_up(output.columns, kLanes)};
  }

  void close(int64_t queries) const {
    if (output.columns % kLanes == 0) return;
    for (int64_t q = 0; q < queries; ++q) std::copy_n(rows.row(q), output.columns, output.row(first + q));
  }
};

// The weights of a block of queries, which need a second walk over the keys, after the sums are known.
template <ScoreForm kForm>
void write_weights(Stream<kForm>& stream, int64_t queries, float growth, const Room& room,
                   MatrixView<float> weights) {
  const int64_t first = stream.place().first_query;
  for (int64_t q = 0; q < queries; ++q)
    for (int64_t k = 0; k < weights.columns; ++k) weights(first + q, k) = 0.0f;
  const Run seen = stream.seen();
  for (int64_t key = seen.begin; key < seen.end; key += kKeyBlock) {
    if (!stream.open_keys(key)) continue;
    stream.score();
    stream.weigh(room.log_sums);
    stream.drop();
    const Run any = stream.sight().any;
    const Rows<const float> rows =
        tile_rows({room.scores, kQueryBlock}, stream.sight(), growth, stream.shift_room());
    for (int64_t q = 0; q < queries; ++q)
      for (int64_t k = any.begin; k < any.end; ++k) weights(first + q, key + k) = rows.row(q)[k - any.begin];
  }
}

// What queries get that see no key.
inline void write_nothing(int64_t first, int64_t queries, MatrixView<float> output, std::span<float> log_sums,
                          MatrixView<float> weights) {
  for (int64_t q = first; q < first + queries; ++q) {
    std::fill_n(output.row(q), output.columns, 0.0f);
    log_sums[static_cast<size_t>(q)] = kNever;
    for (int64_t k = 0; k < weights.columns; ++k) weights(q, k) = 0.0f;
  }
}

template <ScoreForm kForm>
void forward(const AttentionHead<float>& head, MatrixView<float> output, std::span<float> log_sums,
             MatrixView<float> weights) {
  const Room& room = Room::of_thread(head);
  Stream<kForm> stream(head, room);
  const int64_t vectors = whole_vectors(head.values.columns);
  const float growth = static_cast<float>(1.0 / (1.0 - head.dropout));
  for (int64_t first = 0; first < head.queries.rows; first += kQueryBlock) {
    const int64_t queries = std::min(kQueryBlock, head.queries.rows - first);
    stream.open_queries(first, queries);
    const Run seen = stream.seen();
    if (seen.empty()) {
      write_nothing(first, queries, output, log_sums, weights);
      continue;
    }
    std::fill_n(room.largest, kQueryBlock, kLowest);
    std::fill_n(room.sums, kQueryBlock, 0.0f);
    const OutputRows output_rows(output, first, room);
    for (int64_t key = seen.begin; key < seen.end; key += kKeyBlock) {
      if (!stream.open_keys(key)) continue;
      stream.score();
      const bool last = key + kKeyBlock >= seen.end;
      softmax_tile(stream, room);
      if (last) end_softmax(queries, growth, room, log_sums.data() + first);
      stream.drop();
      const Rows<const float> values = open_rows(head.values, key, stream.key_count(), room.value_rows);
      accumulate_by_query(stream.sight(), room.scores, values, vectors, Multiply(),
                          Rescale{{room.output, vectors * kLanes},
                                  room.factors,
                                  key == seen.begin,
                                  last,
                                  output_rows.rows,
                                  room.norms});
    }
    output_rows.close(queries);
    if (weights.present()) write_weights(stream, queries, growth, room, weights);
  }
}

// means[i] = Σ_j w_ij dw_ij, which is output(i, :)·output_gradient(i, :).
inline void row_products(int64_t first, int64_t rows, const Room& room, MatrixView<const float> output,
                         MatrixView<const float> output_gradient) {
  const FloatTag d;
  HWY_ALIGN float partial[kLanes * kLanes];
  HWY_ALIGN float turned[kLanes * kLanes];
  for (int64_t q = 0; q < rows; q += kLanes) {
    for (int64_t r = 0; r < kLanes; ++r) {
      const int64_t row = first + std::min(q + r, rows - 1);  // lanes without a query repeat the last
      const float* x = output.row(row);
      const float* y = output_gradient.row(row);
      Vector even = hn::Zero(d), odd = hn::Zero(d);
      int64_t c = 0;
      for (; c + 2 * kLanes <= output.columns; c += 2 * kLanes) {
        even = hn::MulAdd(hn::LoadU(d, x + c), hn::LoadU(d, y + c), even);
        odd = hn::MulAdd(hn::LoadU(d, x + c + kLanes), hn::LoadU(d, y + c + kLanes), odd);
      }
      hn::Store(hn::Add(even, odd), d, partial + r * kLanes);
      for (; c < output.columns; ++c) partial[r * kLanes] += x[c] * y[c];
    }
    // The sum of each row's lanes is a sum of whole vectors once they are transposed.
    transpose_lanes({partial, kLanes}, kLanes, 1.0f, {turned, kLanes});
    Vector sum = hn::Load(d, turned);
    for (int64_t lane = 1; lane < kLanes; ++lane) sum = hn::Add(sum, hn::Load(d, turned + lane * kLanes));
    hn::Store(sum, d, room.means + q);
  }
}

// The log sums of a block in units of log 2. Where there is no key, as for the lanes that have no query, it
// is so large that every finite score gives a vanishing weight.
inline void open_log_sums(int64_t queries, const float* log_sums, const Room& room) {
  for (int64_t q = 0; q < round_up(queries, kLanes); ++q)
    room.log_sums[q] = q < queries && log_sums[q] != kNever ? log_sums[q] * kLog2E : -kLowest;
}

// The gradients of a tile's scores, from the weights and the gradient of the output. Dropped weights become
// 0.
template <ScoreForm kForm>
void score_gradient_tile(const Stream<kForm>& stream, Rows<const float> values, int64_t value_depth,
                         float growth, const Room& room) {
  const BlockSight& sight = stream.sight();
  const Rows<float> gradients = {room.score_gradients, kQueryBlock};
  if (!stream.dropout().active()) {
    pair_tile(sight, values, room.gradient_columns, value_depth, Multiply(),
              StoreScoreGradient{gradients, room.scores, room.means});
  } else {
    pair_tile(sight, values, room.gradient_columns, value_depth, Multiply(), Store{gradients});
    for (int64_t v = 0; v < sight.vectors; ++v)
      drop_gradients_column(stream.column(room.scores, v), stream.column(room.score_gradients, v),
                            sight.some[v], room.means + v * kLanes, stream.dropout(),
                            stream.positions(v, sight.some[v].begin), growth);
  }
  for (int64_t v = 0; v < sight.vectors; ++v) stream.clear_unseen(room.score_gradients, v);
}

// The gradients of one block pair's queries, keys and parameters, from those of its scores.
template <ScoreForm kForm>
void accumulate_score_gradients(const Stream<kForm>& stream, Rows<const float> queries, const Room& room,
                                const OpenGradient& query_gradient,
                                const AttentionGradients<float>& gradients, int64_t origin, int64_t depth) {
  const BlockSight& sight = stream.sight();
  const Form<kForm>& form = stream.form();
  const int64_t vectors = whole_vectors(depth);
  const float* tile = room.score_gradients;
  if (query_gradient.wanted())
    accumulate_by_query(sight, tile, stream.keys(), vectors, form.side(queries),
                        AddScaled{query_gradient.rows(), form.side_factor()});
  if (gradients.keys.present()) {
    const OpenGradient key_gradient(gradients.keys, stream.place().first_key, stream.key_count(),
                                    room.key_sums);
    accumulate_by_key(sight, tile, queries, vectors, form.side(stream.keys()),
                      AddScaled{key_gradient.rows(), form.side_factor()});
    key_gradient.close();
  }
  if (!gradients.vector.empty() || !gradients.scale.empty())
    accumulate_by_query(sight, tile, stream.keys(), vectors, form.parameter(queries),
                        AddRows{room.parameter});
  if (gradients.bias.present())
    add_bias_gradient({tile, kQueryBlock}, sight, stream.place(), stream.shift_room(), gradients.bias);
  if (!gradients.distance_bias.empty())
    add_distance_bias_gradient({tile, kQueryBlock}, sight, stream.place(), origin, gradients.distance_bias);
}

inline bool any_score_gradient(const AttentionGradients<float>& gradients) {
  return gradients.queries.present() || gradients.keys.present() || gradients.bias.present() ||
         !gradients.distance_bias.empty() || !gradients.vector.empty() || !gradients.scale.empty();
}

template <ScoreForm kForm>
void backward(const AttentionHead<float>& head, MatrixView<const float> output,
              std::span<const float> log_sums, MatrixView<const float> output_gradient,
              const AttentionGradients<float>& gradients) {
  const Room& room = Room::of_thread(head);
  Stream<kForm> stream(head, room);
  const int64_t depth = head.queries.columns;
  const int64_t value_depth = head.values.columns;
  const int64_t value_vectors = whole_vectors(value_depth);
  const float growth = static_cast<float>(1.0 / (1.0 - head.dropout));
  const bool scores = any_score_gradient(gradients);
  std::fill_n(room.parameter, round_up(depth, kLanes), 0.0f);
  for (int64_t first = 0; first < head.queries.rows; first += kQueryBlock) {
    const int64_t queries = std::min(kQueryBlock, head.queries.rows - first);
    stream.open_queries(first, queries);
    const Run seen = stream.seen();
    if (seen.empty()) continue;
    open_log_sums(queries, log_sums.data() + first, room);
    row_products(first, queries, room, output, output_gradient);
    const Rows<const float> query_rows = open_rows(head.queries, first, queries, room.query_rows);
    const Rows<const float> gradient_rows = open_rows(output_gradient, first, queries, room.gradient_rows);
    transpose({output_gradient.row(first), output_gradient.row_stride}, queries, value_depth, 1.0f,
              {room.gradient_columns, kQueryBlock}, room.padding);
    const OpenGradient query_gradient(gradients.queries, first, queries, room.query_sums);
    for (int64_t key = seen.begin; key < seen.end; key += kKeyBlock) {
      if (!stream.open_keys(key)) continue;
      stream.score();
      stream.weigh(room.log_sums);
      if (scores) {
        const Rows<const float> values = open_rows(head.values, key, stream.key_count(), room.value_rows);
        score_gradient_tile(stream, values, value_depth, growth, room);
      } else {
        stream.drop();
      }
      if (gradients.values.present()) {
        const OpenGradient value_gradient(gradients.values, key, stream.key_count(), room.value_sums);
        accumulate_by_key(stream.sight(), room.scores, gradient_rows, value_vectors, Multiply(),
                          AddScaled{value_gradient.rows(), growth});
        value_gradient.close();
      }
      if (scores)
        accumulate_score_gradients(stream, query_rows, room, query_gradient, gradients, head.distance_origin,
                                   depth);
    }
    query_gradient.close();
  }
  if (kForm == ScoreForm::additive && !gradients.vector.empty())
    for (int64_t h = 0; h < depth; ++h) gradients.vector[static_cast<size_t>(h)] += room.parameter[h];
  if (kForm != ScoreForm::additive && !gradients.scale.empty())
    for (int64_t h = 0; h < depth; ++h) gradients.scale[0] += room.parameter[h];
}

void forward_of(const AttentionHead<float>& head, MatrixView<float> output, std::span<float> log_sums,
                MatrixView<float> weights) {
  switch (head.form) {
    case ScoreForm::dot:
      return forward<ScoreForm::dot>(head, output, log_sums, weights);
    case ScoreForm::gaussian:
      return forward<ScoreForm::gaussian>(head, output, log_sums, weights);
    case ScoreForm::additive:
      return forward<ScoreForm::additive>(head, output, log_sums, weights);
  }
}

void backward_of(const AttentionHead<float>& head, MatrixView<const float> output,
                 std::span<const float> log_sums, MatrixView<const float> output_gradient,
                 const AttentionGradients<float>& gradients) {
  switch (head.form) {
    case ScoreForm::dot:
      return backward<ScoreForm::dot>(head, output, log_sums, output_gradient, gradients);
    case ScoreForm::gaussian:
      return backward<ScoreForm::gaussian>(head, output, log_sums, output_gradient, gradients);
    case ScoreForm::additive:
      return backward<ScoreForm::additive>(head, output, log_sums, output_gradient, gradients);
  }
}

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

namespace streamed {

HWY_EXPORT(forward_of);
HWY_EXPORT(backward_of);

}  // namespace streamed

void attention_forward(const AttentionHead<float>& head, MatrixView<float> output, std::span<float> log_sums,
                       MatrixView<float> weights) {
  using namespace streamed;
  HWY_DYNAMIC_DISPATCH(forward_of)(head, output, log_sums, weights);
}

void attention_forward(const AttentionHead<double>& head, MatrixView<double> output,
                       std::span<double> log_sums, MatrixView<double> weights) {
  reference::attention_forward(head, output, log_sums, weights);
}

void attention_backward(const AttentionHead<float>& head, MatrixView<const float> output,
                        std::span<const float> log_sums, MatrixView<const float> output_gradient,
                        const AttentionGradients<float>& gradients) {
  using namespace streamed;
  HWY_DYNAMIC_DISPATCH(backward_of)(head, output, log_sums, output_gradient, gradients);
}

void attention_backward(const AttentionHead<double>& head, MatrixView<const double> output,
                        std::span<const double> log_sums, MatrixView<const double> output_gradient,
                        const AttentionGradients<double>& gradients) {
  reference::attention_backward(head, output, log_sums, output_gradient, gradients);
}

}  // namespace heed::kernels
#endif
