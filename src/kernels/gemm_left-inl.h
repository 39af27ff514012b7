// The left operand of a product, as the register tiles read it: in place, or, if it is transposed, copied in
// groups of rows. Included once per instruction set, by way of foreach_target.h.

#include <algorithm>
#include <cstdint>

#include "heed/kernels/gemm_blocks.h"
#include "heed/kernels/matrix_view.h"

#ifndef HEED_KERNELS_GEMM_LEFT_ONCE
#define HEED_KERNELS_GEMM_LEFT_ONCE
namespace heed::kernels {

inline Scratch& scratch_for_a() {
  thread_local Scratch scratch;
  return scratch;
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

// How wide the tiles are, in vectors, and how many rows are copied at once: long stretches of a transposed
// a's memory, but a small part of the cache.
#if HWY_CAP_GE512
inline constexpr int kSliverVectors = 3;
inline constexpr int64_t kRowGroup = 96;
#else
inline constexpr int kSliverVectors = 2;
inline constexpr int64_t kRowGroup = 48;
#endif
inline constexpr int64_t kTileHeight = kTileRows[kSliverVectors];

// A transposed a whose rows are closer than this is read in place: its cache lines do not displace each
// other.
inline constexpr int64_t kNearRows = 256;

// Tiles of three vectors may be lower, but are used only if c is no higher than that.
inline EvenCut tiles_of(int64_t rows) { return EvenCut(rows, kTileHeight); }

// The rows of a group of a that is to be copied next, handed out to the tiles that work meanwhile.
class ComingGroup {
 public:
  ComingGroup() = default;
  // The group's rows, as they lie in memory: one for each step.
  explicit ComingGroup(MatrixView<const float> steps)
      : next_{steps.data, steps.row_stride, (steps.columns + 15) / 16 + 1}, left_(steps.rows) {}

  ComingRows take(int64_t depth) {
    if (left_ <= 0) return {};
    const ComingRows taken = next_;
    const int64_t rows = std::max<int64_t>(1, depth / kStepsPerComingLine / next_.lines);
    next_.data += rows * next_.stride;
    left_ -= rows;
    return taken;
  }

 private:
  ComingRows next_ = {};
  int64_t left_ = 0;
};

// Rows of a for one block of the depth, cut into tiles: in place, or copied tile by tile.
struct LeftRows {
  MatrixView<const float> rows;
  const float* copy = nullptr;

  EvenCut tiles() const { return tiles_of(rows.rows); }
  MatrixView<const float> tile(const EvenCut& tiles, int64_t i) const {
    if (copy == nullptr) return rows.block(tiles.begin(i), 0, tiles.size(i), rows.columns);
    return {copy + i * packed_tile_size(kTileHeight, rows.columns), tiles.size(i), rows.columns, 1,
            kTileHeight};
  }
};

// Rows of a for one block of the depth, in groups. The elements of a step are brought together if they lie
// far from those of the next: a group is copied when it is first asked for, and kept only if there are
// several blocks of columns.
class LeftBlock {
 public:
  LeftBlock(MatrixView<const float> a, bool keep)
      : a_(a),
        in_place_(a.column_stride <= kNearRows),
        keep_(keep),
        groups_(a.rows, in_place_ ? a.rows : kRowGroup, in_place_ ? 1 : kTileHeight) {
    if (!in_place_) packed_ = scratch_for_a().reserve((keep ? groups_.parts() : 1) * group_size());
  }

  const EvenCut& groups() const { return groups_; }

  LeftRows group(int64_t index) {
    const LeftRows rows = {rows_of(index)};
    if (in_place_) return rows;
    float* copy = packed_ + (keep_ ? index * group_size() : 0);
    if (index >= kept_) pack_tiles<kTileHeight>(rows.rows, rows.tiles(), copy);
    if (keep_) kept_ = std::max(kept_, index + 1);
    return {rows.rows, copy};
  }

  // What the group after this one will be copied from.
  ComingGroup coming_after(int64_t index) const {
    const int64_t next = index + 1;
    if (in_place_ || next == groups_.parts() || next < kept_) return {};
    return ComingGroup(rows_of(next).transposed());
  }

 private:
  int64_t group_size() const { return kRowGroup / kTileHeight * packed_tile_size(kTileHeight, a_.columns); }

  MatrixView<const float> rows_of(int64_t index) const {
    return a_.block(groups_.begin(index), 0, groups_.size(index), a_.columns);
  }

  MatrixView<const float> a_;
  bool in_place_;
  bool keep_;
  EvenCut groups_;
  float* packed_ = nullptr;
  int64_t kept_ = 0;
};

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
