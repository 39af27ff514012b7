// What both passes of streamed attention share: the products over a pair of blocks of queries and
// keys, and the stages from the score to the weight.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_STREAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_STREAM_INL_H_
#undef HEED_KERNELS_ATTENTION_STREAM_INL_H_
#else
#define HEED_KERNELS_ATTENTION_STREAM_INL_H_
#endif

#include <algorithm>

#include "heed/base/round_up.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/attention_scores-inl.h"
#include "heed/kernels/attention_scratch-inl.h"
#include "heed/kernels/attention_shift-inl.h"
#include "heed/kernels/attention_sight-inl.h"
#include "heed/kernels/attention_softmax-inl.h"
#include "heed/kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

// tile(j, i) = Σ_h keys(j, h) ∘ columns(h, i), for all pairs that may see each other.
template <class Operation, class Finish>
void pair_tile(const BlockSight& sight, Rows<const float> keys, const float* columns, int64_t width,
               const Operation& operation, const Finish& finish) {
  for (Run rest = sight.any; !rest.empty();) {
    const Run alike = sight.alike(rest.begin);
    const Run seeing = sight.vectors_of(alike);
    const int64_t column = seeing.begin * kLanes;
    if (!seeing.empty())
      for (const Run piece : Pieces(alike, most_rows<Operation>(seeing.size())))
        multiply_rows(piece.size(), seeing.size(), Along{keys.row(piece.begin), keys.stride},
                      Rows<const float>{columns + column, kQueryBlock}, width, operation,
                      finish.at(piece.begin, column));
    rest.begin = alike.end;
  }
}

// Sums over the keys for each query: c(i, :) from Σ_j tile(j, i) ∘ rows(j, :).
template <class Operation, class Finish>
void accumulate_by_query(const BlockSight& sight, const float* tile, Rows<const float> rows,
                         int64_t vectors, const Operation& operation, const Finish& finish) {
  for (const Run piece : Pieces({0, sight.queries}, most_rows<Operation>(vectors))) {
    const Run keys = sight.keys_of(piece);
    const int64_t first = keys.empty() ? 0 : keys.begin;
    multiply_rows(piece.size(), vectors,
                  Across{tile + first * kQueryBlock + piece.begin, kQueryBlock},
                  Rows<const float>{rows.row(first), rows.stride}, keys.size(),
                  operation.at(piece.begin, 0), finish.at(piece.begin, 0));
  }
}

// Sums over the queries for each key: c(j, :) from Σ_i tile(j, i) ∘ rows(i, :).
template <class Operation, class Finish>
void accumulate_by_key(const BlockSight& sight, const float* tile, Rows<const float> rows,
                       int64_t vectors, const Operation& operation, const Finish& finish) {
  for (const Run piece : Pieces(sight.any, most_rows<Operation>(vectors))) {
    const Run queries = sight.queries_of(piece);
    if (queries.empty()) continue;
    multiply_rows(piece.size(), vectors,
                  Along{tile + piece.begin * kQueryBlock + queries.begin, kQueryBlock},
                  Rows<const float>{rows.row(queries.begin), rows.stride}, queries.size(),
                  operation.at(piece.begin, 0), finish.at(piece.begin, 0));
  }
}

// The part of both passes that is the same: scores of a pair of blocks.
template <ScoreForm kForm>
class Stream {
 public:
  Stream(const AttentionHead<float>& head, const AttentionScratch& scratch)
      : head_(head), scratch_(scratch), form_(head, scratch.vector), dropout_(head) {
    if (kForm != ScoreForm::additive) return;
    std::copy(head.vector.begin(), head.vector.end(), scratch.vector);
    std::fill(scratch.vector + head.vector.size(),
              scratch.vector + round_up(head.queries.columns, kLanes), 0.0f);
  }

  const Form<kForm>& form() const { return form_; }
  const Dropout& dropout() const { return dropout_; }
  const BlockSight& sight() const { return sight_; }
  TilePlace place() const { return place_; }
  Rows<const float> keys() const { return keys_; }
  int64_t key_count() const { return key_count_; }
  Run seen() const { return query_sight_.any; }
  Rows<float> scores() const { return {scratch_.scores, kQueryBlock}; }
  ShiftScratch shift_scratch() const {
    return {scratch_.shift_rows, scratch_.shift_columns, scratch_.padding};
  }
  Rows<float> column(float* tile, int64_t v) const { return {tile + v * kLanes, kQueryBlock}; }
  Words positions(int64_t v, int64_t key) const {
    return dropout_.positions(place_.first_query + v * kLanes, place_.first_key + key);
  }

  void open_queries(int64_t first, int64_t count) {
    place_.first_query = first;
    query_sight_.look(head_, first, count);
    transpose({head_.queries.row(first), head_.queries.row_stride}, count, head_.queries.columns,
              form_.query_factor(), {scratch_.query_columns, kQueryBlock}, scratch_.padding);
  }

  // Moves to the block of keys that starts at `first`. False if no query of the block sees any of
  // them.
  bool open_keys(int64_t first) {
    key_count_ = std::min(kKeyBlock, query_sight_.any.end - first);
    place_.first_key = first;
    sight_.look(query_sight_, {first, first + key_count_});
    if (sight_.any.empty()) return false;
    keys_ = open_rows(head_.keys, first, key_count_, scratch_.key_rows);
    return true;
  }

  // The scores of the two blocks, shifted and masked.
  void score() const {
    pair_tile(sight_, keys_, scratch_.query_columns, head_.keys.columns, form_.score(),
              form_.finish(scores()));
    if (head_.bias.present()) add_bias(scores(), sight_, place_, head_.bias, shift_scratch());
    if (!head_.distance_bias.empty()) add_distance_bias(scores(), sight_, place_, head_);
    if (head_.allowed.present()) forbid(scores(), sight_, place_, head_.allowed, shift_scratch());
    if (!sight_.everything) mask_edges(scores(), sight_);
  }

  // Whether scores of the tile may be -infinity.
  bool masked() const {
    return !sight_.everything || head_.allowed.present() || head_.bias.present() ||
           !head_.distance_bias.empty();
  }

  // Writes zeros where a vector of queries sees none of the keys that others in the block see.
  void clear_unseen(float* tile, int64_t v) const {
    const Run some = sight_.some[v];
    if (some.empty()) return fill_column(column(tile, v), sight_.any.begin, sight_.any.end, 0.0f);
    fill_column(column(tile, v), sight_.any.begin, some.begin, 0.0f);
    fill_column(column(tile, v), some.end, sight_.any.end, 0.0f);
  }

  // The ranges of the queries if nothing else can mask a score, else null.
  const QuerySight* only_mask() const {
    const bool others =
        head_.allowed.present() || head_.bias.present() || !head_.distance_bias.empty();
    return others || query_sight_.everything ? nullptr : &query_sight_;
  }

  // Scores to weights, with the largest score and the norm of each query known.
  void weigh(const float* largest, const float* norms) const {
    for (int64_t v = 0; v < sight_.vectors; ++v) {
      const Rows<float> scores = column(scratch_.scores, v);
      if (masked()) {
        weights_column<true>(scores, sight_.some[v], largest + v * kLanes, norms + v * kLanes);
      } else {
        weights_column<false>(scores, sight_.some[v], largest + v * kLanes, norms + v * kLanes);
      }
      clear_unseen(scratch_.scores, v);
    }
  }

  void drop() const {
    if (!dropout_.active()) return;
    for (int64_t v = 0; v < sight_.vectors; ++v)
      drop_column(column(scratch_.scores, v), sight_.some[v], dropout_,
                  positions(v, sight_.some[v].begin));
  }

 private:
  const AttentionHead<float>& head_;
  const AttentionScratch& scratch_;
  Form<kForm> form_;
  Dropout dropout_;
  QuerySight query_sight_;
  BlockSight sight_;
  TilePlace place_ = {};
  Rows<const float> keys_;
  int64_t key_count_ = 0;
};

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
