// The products walk the depth in blocks, c in blocks of columns, and then the rows, one register
// tile high:
//
//   for each block of the depth
//     for each block of columns       a block of b, packed, stays in the second-level cache
//       for each tile of rows         its rows of a are read once and stay near
//         for each sliver of columns
//           one register tile
//
// So a is read in place, sequentially, and c is visited row by row; only b, and an a that is
// transposed, are copied.
//
// How a product is cut depends on all its sizes, what comes out of it does not: each element of c
// is one chain of multiply-adds over the depth, which a block takes up where the block before left
// it (gemm_tile-inl.h). A row of a gives the same bits alone and among others, packed or not.
#include "heed/kernels/gemm.h"

#include <algorithm>

#include "heed/base/per_thread.h"
#include "heed/base/round_up.h"
#include "heed/kernels/gemm_blocks.h"
#include "heed/kernels/reference/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/gemm.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include <hwy/highway.h>

#include "heed/kernels/gemm_left-inl.h"
#include "heed/kernels/gemm_pack-inl.h"
#include "heed/kernels/gemm_packed-inl.h"
#include "heed/kernels/gemm_pair-inl.h"
#include "heed/kernels/gemm_tile-inl.h"

#ifndef HEED_KERNELS_GEMM_ONCE
#define HEED_KERNELS_GEMM_ONCE
namespace heed::kernels {

inline Scratch& scratch_for_b() {
  struct ForB {};
  return per_thread<Scratch, ForB>();
}

}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// How many floats a block of b has: it fills most of a second-level cache of 1 MB with AVX-512, of
// 512 KB with AVX2. It is at least kBlockColumns wide, where c is; a narrower one is deeper, since
// each block of the depth visits all of c.
#if HWY_CAP_GE512
inline constexpr int64_t kBlockSize = 192 * 1024;
inline constexpr int64_t kBlockColumns = 512;
#else
inline constexpr int64_t kBlockSize = 96 * 1024;
inline constexpr int64_t kBlockColumns = 256;
#endif
inline constexpr int64_t kDeepestBlock = kBlockSize / 256;

// If a is transposed, its depth is long and each block of it is new to the cache. Blocks of b that
// leave room for another one are no deeper than this, so that most of a and b is fetched while the
// block before is multiplied. It must not cost a c that is too large for the cache more visits.
inline constexpr int64_t kFetchedDepth = 256;

inline bool fetches_next_depth(MatrixView<const float> a, MatrixView<float> c) {
  return a.column_stride != 1 && c.columns * kFetchedDepth <= kBlockSize / 2 &&
         c.rows * c.columns <= kBlockSize;
}

// With fewer rows than this, packing b would cost more than it saves.
inline constexpr int64_t kRowsWorthPacking = 17;

// A transposed a with more rows is copied again for each block of columns, so that the copy does
// not take many megabytes.
inline constexpr int64_t kMostRowsKept = 4096;

// A block of b, cut into slivers of columns, which the tiles read in place or packed: contiguous
// and whole vectors wide.
struct RightBlock {
  MatrixView<const float> source;  // absent once the block is packed
  float* packed;                   // null to leave the block in place
  int64_t depth;
  EvenCut slivers;

  void aim(TileProduct& t, int64_t sliver) const {
    const int64_t column = slivers.begin(sliver);
    t.columns = slivers.size(sliver);
    t.b = source.present() ? source.data + column : packed + column * depth;
    t.b_step = source.present() ? source.row_stride : round_up(t.columns, kLanes);
    if (packs_on_the_way()) pack_on_the_way(t, packed + column * depth);
  }

  bool packs_on_the_way() const { return source.present() && packed != nullptr; }

  // Whether a tile of so many rows should take the sliver together with the next.
  bool pairs_up(int64_t sliver, int64_t rows) const {
    if (packs_on_the_way()) return false;
    const int64_t columns = round_up(slivers.size(sliver), kLanes) + slivers.size(sliver + 1);
    return rows <= kPairRows[round_up(columns, kLanes) / kLanes];
  }

  // t is aimed at the sliver.
  PairProduct with_next(const TileProduct& t, int64_t sliver) const {
    TileProduct next = t;
    aim(next, sliver + 1);
    PairProduct pair = {t, next.b, next.b_step, nullptr, 0};
    pair.first.columns += next.columns;
    return pair;
  }

  // The first tile of rows finds the block in place and packs it. Meanwhile the next sliver comes:
  // its stretches of memory are too short for the hardware to see them coming.
  static void pack_on_the_way(TileProduct& t, float* to) {
    t.copy = to;
    t.ahead = t.b + t.columns;
    t.ahead_step = t.b_step;
  }

  void used() {
    if (packed != nullptr) source = {};
  }
};

inline RightBlock right_block(MatrixView<const float> b, int64_t c_rows) {
  const int64_t vectors = c_rows <= kTileRows[3] ? 3 : kSliverVectors;
  const EvenCut slivers(b.columns, vectors * kLanes, kLanes);
  const bool readable_in_place = b.column_stride == 1 && b.columns % kLanes == 0;
  if (readable_in_place && c_rows < kRowsWorthPacking) return {b, nullptr, b.rows, slivers};
  float* packed = scratch_for_b().reserve(round_up(b.columns, kLanes) * b.rows);
  if (readable_in_place) return {b, packed, b.rows, slivers};
  pack_slivers(b, slivers, packed);
  return {{}, packed, b.rows, slivers};
}

// How a block of the depth enters c: every one but the first goes on with the sums of those before
// it, and the last brings the bias and the activation.
struct BlockOptions {
  bool accumulate;
  const float* bias;  // null for none
  Activation activation;
};

inline BlockOptions block_options(const GemmOptions<float>& options, int64_t column, bool first,
                                  bool last) {
  return {.accumulate = options.accumulate || !first,
          .bias = last && !options.bias.empty() ? options.bias.data() + column : nullptr,
          .activation = last ? options.activation : Activation::identity};
}

// One tile's rows of c, over all slivers of the block. `below` are the rows of the tile after it,
// if any.
inline void multiply_tile_row(MatrixView<const float> a, RightBlock& b, MatrixView<float> c,
                              MatrixView<float> below, const BlockOptions& options,
                              Coming& coming) {
  TileProduct t = {};
  t.a = a.data;
  t.a_row_stride = a.row_stride;
  t.a_step = a.column_stride;
  t.c_stride = c.row_stride;
  t.depth = b.depth;
  t.accumulate = options.accumulate;
  t.coming = &coming;
  for (int64_t s = 0; s < b.slivers.parts(); ++s) {
    const int64_t column = b.slivers.begin(s);
    b.aim(t, s);
    coming.c = ComingLines(below.block(0, column, below.rows, t.columns));
    t.c = c.data + column;
    t.bias = options.bias == nullptr ? nullptr : options.bias + column;
    if (b.pairs_up(s, c.rows))
      multiply_pair(c.rows, b.with_next(t, s++));
    else
      multiply_tile(c.rows, t);
  }
  b.used();
  activate_rows(options.activation, c);
}

// a and c are the parts of the operands that belong to the block of b.
inline void multiply_rows(const LeftRows& a, RightBlock& b, MatrixView<float> c,
                          const BlockOptions& options, Coming& coming) {
  const EvenCut tiles = a.tiles();
  const auto rows_of_c = [&](int64_t i) {
    return c.block(tiles.begin(i), 0, tiles.size(i), c.columns);
  };
  for (int64_t i = 0; i < tiles.parts(); ++i) {
    if (a.in_place_by_rows()) coming.a = ComingLines(a.tile(tiles, i + 1));
    multiply_tile_row(a.tile(tiles, i), b, rows_of_c(i), rows_of_c(i + 1), options, coming);
  }
}

inline void multiply_block(LeftBlock& a, RightBlock& b, MatrixView<float> c,
                           const BlockOptions& options, Coming coming) {
  for (int64_t i = 0; i < a.groups().parts(); ++i) {
    const LeftRows rows = a.group(i);
    coming.a = a.coming_after(i);
    multiply_rows(rows, b, c.block(a.groups().begin(i), 0, a.groups().size(i), c.columns), options,
                  coming);
  }
}

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
              const GemmOptions<float>& options) {
  if (c.rows == 0 || c.columns == 0) return;
  const bool fetches_b = fetches_next_depth(a, c);
  const int64_t deepest = std::min(kDeepestBlock, kBlockSize / std::min(c.columns, kBlockColumns));
  const EvenCut deep(a.columns, fetches_b ? kFetchedDepth : deepest, 16);
  const EvenCut wide(c.columns,
                     std::max(kBlockColumns, kBlockSize / std::max<int64_t>(1, deep.size(0))),
                     kSliverVectors * kLanes);
  for (int64_t p = 0; p < deep.parts(); ++p) {
    const int64_t step = deep.begin(p);
    const int64_t depth = deep.size(p);
    const int64_t next = deep.begin(p + 1);
    const int64_t next_depth = deep.size(p + 1);
    LeftBlock left(a.block(0, step, a.rows, depth), a.block(0, next, a.rows, next_depth),
                   wide.parts() > 1 && a.rows <= kMostRowsKept);
    for (int64_t j = 0; j < wide.parts(); ++j) {
      const int64_t column = wide.begin(j);
      const int64_t columns = wide.size(j);
      RightBlock right = right_block(b.block(step, column, depth, columns), c.rows);
      Coming coming;
      if (fetches_b) coming.b = ComingLines(b.block(next, column, next_depth, columns));
      multiply_block(left, right, c.block(0, column, c.rows, columns),
                     block_options(options, column, p == 0, p + 1 == deep.parts()), coming);
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(multiply);
HWY_EXPORT(lanes_of_target);
HWY_EXPORT(pack_weights);
HWY_EXPORT(multiply_packed);

void gemm(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
          const GemmOptions<float>& options) {
  HWY_DYNAMIC_DISPATCH(multiply)(a, b, c, options);
}

void gemm(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
          const GemmOptions<double>& options) {
  reference::gemm(a, b, c, options);
}

PackedWeights::PackedWeights(MatrixView<const float> weights)
    : rows_(weights.rows),
      columns_(weights.columns),
      lanes_(HWY_DYNAMIC_DISPATCH(lanes_of_target)()) {
  const int64_t padded_columns = round_up(columns_, lanes_);
  // One line more, because a vector may be wider than a sliver if it was packed for narrower ones.
  lines_.resize(static_cast<size_t>((rows_ * padded_columns + 15) / 16 + 1));
  HWY_DYNAMIC_DISPATCH(pack_weights)(weights, lines_.front().values);
}

void gemm_packed(MatrixView<const float> a, const PackedWeights& weights, MatrixView<float> c,
                 const GemmOptions<float>& options) {
  HWY_DYNAMIC_DISPATCH(multiply_packed)(a, weights, c, options);
}

}  // namespace heed::kernels
#endif
