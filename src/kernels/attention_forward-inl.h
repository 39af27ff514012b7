// The forward pass of streamed attention: a running softmax over the blocks of keys, whose weighted
// values are summed as they come and rescaled when a larger score appears.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_FORWARD_INL_H_
#undef HEED_KERNELS_ATTENTION_FORWARD_INL_H_
#else
#define HEED_KERNELS_ATTENTION_FORWARD_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "heed/base/round_up.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/attention_scratch-inl.h"
#include "heed/kernels/attention_stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

// The rows of a finished softmax that are invalid. The largest score has the weight 1, so the sum
// of a row is at least that, or 0 if the query sees no key: anything else comes from scores that
// overflowed to -infinity. `ranges` is the only mask; if it is null, a sum of 0 may come from any
// mask.
HWY_INLINE hn::Mask<FloatTag> lost_rows(Vector sum, const QuerySight* ranges, int64_t query) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const auto none = hn::Eq(sum, hn::Zero(d));
  const auto lost = hn::AndNot(none, hn::Lt(sum, hn::Set(d, 1.0f)));
  if (ranges == nullptr) return lost;
  const auto sees =
      hn::Lt(hn::Load(di, ranges->begins + query), hn::Load(di, ranges->ends + query));
  return hn::Or(lost, hn::And(none, hn::RebindMask(d, sees)));
}

// Finishes the softmax of a block of queries: sets invalid rows to NaN, and sets `norms`, which
// turn the sums into the output.
inline void end_softmax(int64_t queries, float growth, const QuerySight* ranges,
                        const AttentionScratch& scratch) {
  const FloatTag d;
  const Vector nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  for (int64_t q = 0; q < queries; q += kLanes) {
    const Vector found = hn::Load(d, scratch.sums + q);
    const Vector sum = hn::IfThenElse(lost_rows(found, ranges, q), nan, found);
    const auto none = hn::Eq(sum, hn::Zero(d));
    const Vector safe = hn::IfThenElse(none, hn::Set(d, 1.0f), sum);
    hn::Store(sum, d, scratch.sums + q);
    hn::Store(hn::IfThenZeroElse(none, hn::Div(hn::Set(d, growth), safe)), d, scratch.norms + q);
  }
}

// The part of an output that a block of queries writes: directly if it fills whole vectors,
// otherwise through `scratch`.
struct OutputRows {
  Rows<float> rows;
  MatrixView<float> output;
  int64_t first;

  OutputRows(MatrixView<float> whole, int64_t first_query, const AttentionScratch& scratch)
      : output(whole), first(first_query) {
    rows = {output.row(first), output.row_stride};
    if (output.columns % kLanes != 0) rows = {scratch.output, round_up(output.columns, kLanes)};
  }

  void close(int64_t queries) const {
    if (output.columns % kLanes == 0) return;
    for (int64_t q = 0; q < queries; ++q)
      std::copy_n(rows.row(q), output.columns, output.row(first + q));
  }
};

template <ScoreForm kForm>
class Forward {
 public:
  Forward(const AttentionHead<float>& head, MatrixView<float> output, SoftmaxRows<float> rows,
          MatrixView<float> weights)
      : head_(head),
        output_(output),
        rows_(rows),
        weights_(weights),
        scratch_(AttentionScratch::of_thread(head)),
        stream_(head, scratch_),
        growth_(static_cast<float>(1.0 / (1.0 - head.dropout))) {}

  void run() {
    for (int64_t first = 0; first < head_.queries.rows; first += kQueryBlock) {
      const int64_t queries = std::min(kQueryBlock, head_.queries.rows - first);
      stream_.open_queries(first, queries);
      if (stream_.seen().empty()) {
        write_nothing(first, queries);
      } else {
        write_output(first, queries);
        if (weights_.present()) write_weights(first, queries);
      }
    }
  }

 private:
  // The output of queries that see no key.
  void write_nothing(int64_t first, int64_t queries) const {
    for (int64_t q = first; q < first + queries; ++q) {
      std::fill_n(output_.row(q), output_.columns, 0.0f);
      rows_.largest[q] = 0.0f;
      rows_.sums[q] = 0.0f;
    }
    if (weights_.present()) clear_weights(first, queries);
  }

  void write_output(int64_t first, int64_t queries) {
    std::fill_n(scratch_.largest, kQueryBlock, kLowest);
    std::fill_n(scratch_.sums, kQueryBlock, 0.0f);
    const OutputRows output_rows(output_, first, scratch_);
    const Run seen = stream_.seen();
    for (int64_t key = seen.begin; key < seen.end; key += kKeyBlock) {
      if (!stream_.open_keys(key)) continue;
      const bool last = key + kKeyBlock >= seen.end;
      stream_.score();
      softmax_tile();
      if (last) end_rows(first, queries);
      stream_.drop();
      accumulate(key, key == seen.begin, last, output_rows.rows);
    }
    output_rows.close(queries);
  }

  void end_rows(int64_t first, int64_t queries) const {
    end_softmax(queries, growth_, stream_.only_mask(), scratch_);
    std::copy_n(scratch_.largest, queries, rows_.largest.data() + first);
    std::copy_n(scratch_.sums, queries, rows_.sums.data() + first);
  }

  // Scores to weights relative to the largest score so far.
  void softmax_tile() const {
    const BlockSight& sight = stream_.sight();
    // All maxima first: otherwise each column's exponentials would wait for its maxima.
    for (int64_t v = 0; v < sight.vectors; ++v)
      raise_largest({scratch_.scores + v * kLanes, kQueryBlock}, sight.some[v],
                    scratch_.largest + v * kLanes, scratch_.factors + v * kLanes);
    for (int64_t v = 0; v < sight.vectors; ++v) {
      const Rows<float> scores = stream_.column(scratch_.scores, v);
      const float* largest = scratch_.largest + v * kLanes;
      const float* factors = scratch_.factors + v * kLanes;
      float* sums = scratch_.sums + v * kLanes;
      if (stream_.masked()) {
        softmax_column<true>(scores, sight.some[v], largest, factors, sums);
      } else {
        softmax_column<false>(scores, sight.some[v], largest, factors, sums);
      }
      stream_.clear_unseen(scratch_.scores, v);
    }
  }

  void accumulate(int64_t key, bool first, bool last, Rows<float> end) const {
    const int64_t vectors = whole_vectors(head_.values.columns);
    const Rows<const float> values =
        open_rows(head_.values, key, stream_.key_count(), scratch_.value_rows);
    const Rescale finish = {
        {scratch_.output, vectors * kLanes}, scratch_.factors, first, last, end, scratch_.norms};
    accumulate_by_query(stream_.sight(), scratch_.scores, values, vectors, Multiply(), finish);
  }

  void clear_weights(int64_t first, int64_t queries) const {
    for (int64_t q = first; q < first + queries; ++q)
      for (int64_t k = 0; k < weights_.columns; ++k) weights_(q, k) = 0.0f;
  }

  // The weights need a second pass over the keys, once the sums are known.
  void write_weights(int64_t first, int64_t queries) {
    clear_weights(first, queries);
    const Run seen = stream_.seen();
    for (int64_t key = seen.begin; key < seen.end; key += kKeyBlock) {
      if (!stream_.open_keys(key)) continue;
      stream_.score();
      stream_.weigh(scratch_.largest, scratch_.norms);
      stream_.drop();
      const Run any = stream_.sight().any;
      const Rows<const float> rows =
          tile_rows({scratch_.scores, kQueryBlock}, stream_.sight(), 1.0f, stream_.shift_scratch());
      for (int64_t q = 0; q < queries; ++q)
        for (int64_t k = any.begin; k < any.end; ++k)
          weights_(first + q, key + k) = rows.row(q)[k - any.begin];
    }
  }

  const AttentionHead<float>& head_;
  MatrixView<float> output_;
  SoftmaxRows<float> rows_;
  MatrixView<float> weights_;
  const AttentionScratch& scratch_;
  Stream<kForm> stream_;
  float growth_;  // of the weights that dropout keeps
};

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
