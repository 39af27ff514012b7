// Products of few rows with weights that were packed once. Included once per instruction set, by
// way of foreach_target.h.

#include <algorithm>
#include <cstdint>

#include "heed/base/round_up.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/gemm_blocks.h"
#include "heed/kernels/matrix_view.h"

#if defined(HEED_KERNELS_GEMM_PACKED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GEMM_PACKED_INL_H_
#undef HEED_KERNELS_GEMM_PACKED_INL_H_
#else
#define HEED_KERNELS_GEMM_PACKED_INL_H_
#endif

#include "heed/kernels/gemm_pack-inl.h"
#include "heed/kernels/gemm_pair-inl.h"
#include "heed/kernels/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

inline constexpr int64_t kSliverColumns = 3 * kLanes;

// A block of the depth of a sliver, or of two, stays in the first-level cache.
inline constexpr int64_t kPackedDepthBlock = 256;

inline int64_t lanes_of_target() { return kLanes; }

inline void pack_weights(MatrixView<const float> weights, float* to) {
  if (weights.columns > 0)
    pack_slivers(weights, EvenCut(weights.columns, kSliverColumns, kLanes), to);
}

// The columns of one sliver of the weights.
struct PackedSliver {
  const float* data;
  int64_t width;  // from a row to the next
  int64_t column;
  int64_t columns;
  const float* after;  // what is read after it
};

class PackedProduct {
 public:
  PackedProduct(MatrixView<const float> a, const PackedWeights& weights, MatrixView<float> c,
                const GemmOptions<float>& options)
      : a_(a),
        weights_(weights),
        c_(c),
        options_(options),
        slivers_(c.columns, 3 * weights.lanes(), weights.lanes()),
        tiles_(c.rows, kTileRows[3]),
        fewest_rows_(tiles_.size(tiles_.parts() - 1)),
        deep_(a.columns, deepest_block()) {}

  void run() const {
    // The weights may have been packed for other vectors than these, if the instruction set was
    // restricted meanwhile.
    if (weights_.lanes() != kLanes) return run_over_others();
    // Without a partner is the first sliver rather than the last, which may be narrower.
    const int64_t alone = slivers_.parts() % 2;
    if (alone == 1) multiply(sliver(0));
    for (int64_t s = alone; s < slivers_.parts(); s += 2) multiply_both(sliver(s), sliver(s + 1));
  }

 private:
  // No weight is needed twice if there is one tile of rows.
  int64_t deepest_block() const {
    if (tiles_.parts() == 1) return std::max<int64_t>(1, a_.columns);
    return fewest_rows_ <= kPairRows[6] ? kPackedDepthBlock / 2 : kPackedDepthBlock;
  }

  PackedSliver sliver(int64_t s) const {
    const int64_t columns = slivers_.size(s);
    return {begin(s), round_up(columns, kLanes), slivers_.begin(s), columns, begin(s + 1)};
  }
  const float* begin(int64_t s) const {
    return weights_.data() + slivers_.begin(s) * weights_.rows();
  }

  void run_over_others() const {
    const int64_t lanes = weights_.lanes();
    for (int64_t s = 0; s < slivers_.parts(); ++s) {
      PackedSliver other = sliver(s);
      const int64_t end = other.column + other.columns;
      other.width = round_up(other.columns, lanes);
      for (; other.column < end; other.column += kSliverColumns, other.data += kSliverColumns) {
        other.columns = std::min(kSliverColumns, end - other.column);
        multiply(other);
      }
    }
  }

  void multiply(const PackedSliver& sliver) const {
    for (int64_t p = 0; p < deep_.parts(); ++p)
      for (int64_t i = 0; i < tiles_.parts(); ++i) {
        multiply_tile(tiles_.size(i), tile(sliver, p, i));
        finish(sliver.column, sliver.columns, p, i);
      }
  }

  // Each tile that has too few rows for one sliver takes both at once.
  void multiply_both(PackedSliver first, PackedSliver second) const {
    const int64_t most = kPairRows[(first.width + second.width) / kLanes];
    if (fewest_rows_ > most) {
      multiply(first);
      multiply(second);
      return;
    }
    // After these the next two are read.
    first.after = second.after;
    second.after = first.after + first.width * weights_.rows();
    for (int64_t p = 0; p < deep_.parts(); ++p)
      for (int64_t i = 0; i < tiles_.parts(); ++i) {
        const int64_t rows = tiles_.size(i);
        const TileProduct left = tile(first, p, i), right = tile(second, p, i);
        if (rows <= most) {
          PairProduct pair = {left, right.b, right.b_step, right.ahead, right.ahead_step};
          pair.first.columns += right.columns;
          multiply_pair(rows, pair);
        } else {
          multiply_tile(rows, left);
          multiply_tile(rows, right);
        }
        finish(first.column, first.columns + second.columns, p, i);
      }
  }

  // The i-th tile of rows in the p-th block of the depth. If there are several, each fetches its
  // share of the next block, so that weights that come from far are waited for while there is
  // something to compute.
  TileProduct tile(const PackedSliver& sliver, int64_t p, int64_t i) const {
    const int64_t row = tiles_.begin(i), step = deep_.begin(p), depth = deep_.size(p);
    TileProduct t = {};
    t.a = &a_(row, step);
    t.a_row_stride = a_.row_stride;
    t.a_step = a_.column_stride;
    t.b = sliver.data + step * sliver.width;
    t.b_step = sliver.width;
    t.c = c_.row(row) + sliver.column;
    t.c_stride = c_.row_stride;
    t.depth = depth;
    t.columns = sliver.columns;
    t.accumulate = options_.accumulate || p > 0;
    if (is_last(p) && !options_.bias.empty()) t.bias = options_.bias.data() + sliver.column;
    if (tiles_.parts() == 1) return t;
    const float* next = is_last(p) ? sliver.after : t.b + depth * sliver.width;
    t.ahead = next + i * depth * sliver.width / tiles_.parts();
    t.ahead_step = divide_up(sliver.width, tiles_.parts());
    return t;
  }

  bool is_last(int64_t p) const { return p + 1 == deep_.parts(); }

  // Even an activation that does nothing would wait for what the tile has just stored.
  void finish(int64_t column, int64_t columns, int64_t p, int64_t i) const {
    if (is_last(p) && options_.activation != Activation::identity)
      activate_rows(options_.activation,
                    c_.block(tiles_.begin(i), column, tiles_.size(i), columns));
  }

  MatrixView<const float> a_;
  const PackedWeights& weights_;
  MatrixView<float> c_;
  const GemmOptions<float>& options_;
  EvenCut slivers_;
  EvenCut tiles_;        // of rows
  int64_t fewest_rows_;  // of a tile
  EvenCut deep_;
};

inline void multiply_packed(MatrixView<const float> a, const PackedWeights& weights,
                            MatrixView<float> c, const GemmOptions<float>& options) {
  if (c.rows > 0 && c.columns > 0) PackedProduct(a, weights, c, options).run();
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
