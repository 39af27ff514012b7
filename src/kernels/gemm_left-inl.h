// The left operand of a product, as the register tiles read it: in place, or, if it is transposed,
// copied in groups of rows. Included once per instruction set, by way of foreach_target.h.

#include <algorithm>
#include <cstdint>

#include "heed/base/per_thread.h"
#include "heed/kernels/gemm_blocks.h"
#include "heed/kernels/matrix_view.h"

#ifndef HEED_KERNELS_GEMM_LEFT_ONCE
#define HEED_KERNELS_GEMM_LEFT_ONCE
namespace heed::kernels {

inline Scratch& scratch_for_a() {
  struct ForA {};
  return per_thread<Scratch, ForA>();
}

}  // namespace heed::kernels
#endif

#if defined(HEED_KERNELS_GEMM_LEFT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GEMM_LEFT_INL_H_
#undef HEED_KERNELS_GEMM_LEFT_INL_H_
#else
#define HEED_KERNELS_GEMM_LEFT_INL_H_
#endif

#include "heed/kernels/gemm_pack-inl.h"
#include "heed/kernels/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// How wide the tiles are, in vectors, and how many rows are copied at once: long stretches of a
// transposed a's memory, but a small part of the cache.
#if HWY_CAP_GE512
inline constexpr int kSliverVectors = 3;
inline constexpr int64_t kRowGroup = 96;
#else
inline constexpr int kSliverVectors = 2;
inline constexpr int64_t kRowGroup = 48;
#endif
inline constexpr int64_t kTileHeight = kTileRows[kSliverVectors];

// A transposed a whose rows are closer than this is read in place: its cache lines do not displace
// each other.
inline constexpr int64_t kNearRows = 256;

// Tiles of three vectors may be lower, but are used only if c is no higher than that.
inline EvenCut tiles_of(int64_t rows) { return EvenCut(rows, kTileHeight); }

// Rows of a for one block of the depth, cut into tiles: in place, or copied tile by tile.
struct LeftRows {
  MatrixView<const float> rows;
  const float* copy = nullptr;

  EvenCut tiles() const { return tiles_of(rows.rows); }
  bool in_place_by_rows() const { return copy == nullptr && rows.column_stride == 1; }
  MatrixView<const float> tile(const EvenCut& tiles, int64_t i) const {
    if (copy == nullptr) return rows.block(tiles.begin(i), 0, tiles.size(i), rows.columns);
    return {copy + i * packed_tile_size(kTileHeight, rows.columns), tiles.size(i), rows.columns, 1,
            kTileHeight};
  }
};

// Rows of a for one block of the depth, in groups. The elements of a step are brought together if
// they lie far from those of the next: a group is copied when it is first asked for, and kept only
// if there are several blocks of columns.
class LeftBlock {
 public:
  // `after` is the next block of the depth, which may be empty.
  LeftBlock(MatrixView<const float> a, MatrixView<const float> after, bool keep)
      : a_(a),
        after_(after),
        in_place_(a.column_stride <= kNearRows),
        keep_(keep),
        groups_(a.rows, in_place_ ? a.rows : kRowGroup, in_place_ ? 1 : kTileHeight) {
    if (!in_place_) packed_ = scratch_for_a().reserve((keep ? groups_.parts() : 1) * group_size());
  }

  const EvenCut& groups() const { return groups_; }

  LeftRows group(int64_t index) {
    const LeftRows rows = {rows_of(a_, index)};
    if (in_place_) return rows;
    float* copy = packed_ + (keep_ ? index * group_size() : 0);
    if (index >= kept_) pack_tiles<kTileHeight>(rows.rows, rows.tiles(), copy);
    if (keep_) kept_ = std::max(kept_, index + 1);
    return {rows.rows, copy};
  }

  // What is read of a transposed a after this group.
  ComingLines coming_after(int64_t index) const {
    const int64_t next = index + 1;
    if (a_.column_stride == 1 || next < kept_) return {};
    return ComingLines(
        (next < groups_.parts() ? rows_of(a_, next) : rows_of(after_, 0)).transposed());
  }

 private:
  int64_t group_size() const {
    return kRowGroup / kTileHeight * packed_tile_size(kTileHeight, a_.columns);
  }

  MatrixView<const float> rows_of(MatrixView<const float> a, int64_t index) const {
    return a.block(groups_.begin(index), 0, groups_.size(index), a.columns);
  }

  MatrixView<const float> a_;
  MatrixView<const float> after_;
  bool in_place_;
  bool keep_;
  EvenCut groups_;
  float* packed_ = nullptr;
  int64_t kept_ = 0;
};

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
