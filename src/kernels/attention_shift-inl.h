// Shifts and masks of a tile of scores before the softmax, and the gradients of the shifts. The
// tile lies keys by queries, in units of log 2.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_SHIFT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_SHIFT_INL_H_
#undef HEED_KERNELS_ATTENTION_SHIFT_INL_H_
#else
#define HEED_KERNELS_ATTENTION_SHIFT_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "heed/kernels/attention.h"
#include "heed/kernels/attention_scores-inl.h"
#include "heed/kernels/attention_sight-inl.h"
#include "heed/kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// The place of a tile among all queries and keys.
struct TilePlace {
  int64_t first_query;
  int64_t first_key;
};

// Scratch memory for what is laid out next to a tile.
struct ShiftScratch {
  float* rows;     // (kQueryBlock, kKeyBlock)
  float* columns;  // (kKeyBlock, kQueryBlock)
  float* padding;  // (kLanes, kKeyBlock or kQueryBlock)
};

HWY_INLINE void add_columns(Rows<float> scores, const BlockSight& sight, Rows<const float> shift) {
  const FloatTag d;
  for (int64_t v = 0; v < sight.vectors; ++v)
    for (int64_t k = sight.some[v].begin; k < sight.some[v].end; ++k) {
      float* to = scores.row(k) + v * kLanes;
      hn::StoreU(hn::Add(hn::LoadU(d, to), hn::LoadU(d, shift.row(k) + v * kLanes)), d, to);
    }
}

// score(i, j) += bias(i, j)
inline void add_bias(Rows<float> scores, const BlockSight& sight, TilePlace place,
                     MatrixView<const float> bias, const ShiftScratch& scratch) {
  const int64_t keys = sight.any.size();
  const int64_t first = sight.any.begin;
  const float* corner = bias.data + place.first_query * bias.row_stride +
                        (place.first_key + first) * bias.column_stride;
  Rows<const float> rows = {corner, bias.row_stride};
  if (bias.column_stride != 1) {
    for (int64_t q = 0; q < sight.queries; ++q)
      for (int64_t k = 0; k < keys; ++k)
        scratch.rows[q * kKeyBlock + k] = corner[q * bias.row_stride + k * bias.column_stride];
    rows = {scratch.rows, kKeyBlock};
  }
  const Rows<float> columns = {scratch.columns, kQueryBlock};
  transpose(rows, sight.queries, keys, kLog2E, {columns.row(first), kQueryBlock}, scratch.padding);
  add_columns(scores, sight, {scratch.columns, kQueryBlock});
}

// score(i, j) = -infinity where allowed(i, j) is 0
inline void forbid(Rows<float> scores, const BlockSight& sight, TilePlace place,
                   MatrixView<const uint8_t> allowed, const ShiftScratch& scratch) {
  const int64_t keys = sight.any.size();
  const int64_t first = sight.any.begin;
  for (int64_t q = 0; q < sight.queries; ++q) {
    const uint8_t* row = &allowed(place.first_query + q, place.first_key + first);
    float* to = scratch.rows + q * kKeyBlock;
    if (allowed.column_stride == 1) {
      for (int64_t k = 0; k < keys; ++k) to[k] = row[k] != 0 ? 0.0f : kNever;
    } else {
      for (int64_t k = 0; k < keys; ++k)
        to[k] = row[k * allowed.column_stride] != 0 ? 0.0f : kNever;
    }
  }
  const Rows<float> columns = {scratch.columns, kQueryBlock};
  transpose({scratch.rows, kKeyBlock}, sight.queries, keys, 1.0f, {columns.row(first), kQueryBlock},
            scratch.padding);
  add_columns(scores, sight, {scratch.columns, kQueryBlock});
}

// The distances between the queries and keys of a tile as one line, on which the queries of a key
// lie side by side: element q - k + kKeyBlock - 1 stands for query q and key k.
class DistanceLine {
 public:
  static constexpr int64_t kSize = kQueryBlock + kKeyBlock;

  DistanceLine(TilePlace place, int64_t origin, int64_t distances)
      : last_(distances - 1),
        index_of_first_(place.first_key - place.first_query + origin + kKeyBlock - 1) {}

  int64_t index(int64_t element) const {
    return std::clamp<int64_t>(index_of_first_ - element, 0, last_);
  }
  static int64_t element(int64_t query, int64_t key) { return query - key + kKeyBlock - 1; }

 private:
  int64_t last_;
  int64_t index_of_first_;
};

// score(i, j) += bias[j - i + origin]
inline void add_distance_bias(Rows<float> scores, const BlockSight& sight, TilePlace place,
                              const AttentionHead<float>& head) {
  const FloatTag d;
  const DistanceLine distances(place, head.distance_origin,
                               static_cast<int64_t>(head.distance_bias.size()));
  HWY_ALIGN float line[DistanceLine::kSize];
  for (int64_t e = 0; e < DistanceLine::kSize; ++e)
    line[e] = kLog2E * head.distance_bias[distances.index(e)];
  for (int64_t v = 0; v < sight.vectors; ++v)
    for (int64_t k = sight.some[v].begin; k < sight.some[v].end; ++k) {
      float* to = scores.row(k) + v * kLanes;
      hn::StoreU(
          hn::Add(hn::LoadU(d, to), hn::LoadU(d, line + DistanceLine::element(v * kLanes, k))), d,
          to);
    }
}

// Masks the keys outside of each query's range, in the part of the tile where the queries of a
// vector differ.
inline void mask_edges(Rows<float> scores, const BlockSight& sight) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const Vector masked = hn::Set(d, kNever);
  for (int64_t v = 0; v < sight.vectors; ++v) {
    const Run some = sight.some[v];
    const Run all = sight.all[v];
    const auto begin = hn::Load(di, sight.sight->begins + v * kLanes);
    const auto end = hn::Load(di, sight.sight->ends + v * kLanes);
    for (int64_t k = some.begin; k < some.end; ++k) {
      if (k == all.begin && !all.empty()) k = all.end;
      if (k >= some.end) break;
      const auto key = hn::Set(di, static_cast<int32_t>(sight.first_key + k));
      const auto inside = hn::RebindMask(d, hn::AndNot(hn::Gt(begin, key), hn::Gt(end, key)));
      float* to = scores.row(k) + v * kLanes;
      hn::StoreU(hn::IfThenElse(inside, hn::LoadU(d, to), masked), d, to);
    }
  }
}

// The visible part of a tile, times `factor`, queries by keys: column 0 is key sight.any.begin.
inline Rows<const float> tile_rows(Rows<const float> tile, const BlockSight& sight, float factor,
                                   const ShiftScratch& scratch) {
  transpose({tile.row(sight.any.begin), tile.stride}, sight.any.size(), sight.queries, factor,
            {scratch.rows, kKeyBlock}, scratch.padding);
  return {scratch.rows, kKeyBlock};
}

// bias_gradient(i, j) += ds(i, j)
inline void add_bias_gradient(Rows<const float> gradients, const BlockSight& sight, TilePlace place,
                              const ShiftScratch& scratch, MatrixView<float> bias_gradient) {
  const int64_t keys = sight.any.size();
  const Rows<const float> rows = tile_rows(gradients, sight, 1.0f, scratch);
  for (int64_t q = 0; q < sight.queries; ++q) {
    const float* from = rows.row(q);
    float* to = &bias_gradient(place.first_query + q, place.first_key + sight.any.begin);
    if (bias_gradient.column_stride == 1) {
      for (int64_t k = 0; k < keys; ++k) to[k] += from[k];
    } else {
      for (int64_t k = 0; k < keys; ++k) to[k * bias_gradient.column_stride] += from[k];
    }
  }
}

// bias_gradient[j - i + origin] += ds(i, j)
inline void add_distance_bias_gradient(Rows<const float> gradients, const BlockSight& sight,
                                       TilePlace place, int64_t origin,
                                       std::span<float> bias_gradient) {
  const FloatTag d;
  const DistanceLine distances(place, origin, static_cast<int64_t>(bias_gradient.size()));
  HWY_ALIGN float line[DistanceLine::kSize] = {};
  for (int64_t v = 0; v < sight.vectors; ++v)
    for (int64_t k = sight.some[v].begin; k < sight.some[v].end; ++k) {
      float* to = line + DistanceLine::element(v * kLanes, k);
      hn::StoreU(hn::Add(hn::LoadU(d, to), hn::LoadU(d, gradients.row(k) + v * kLanes)), d, to);
    }
  for (int64_t e = 0; e < DistanceLine::kSize; ++e) bias_gradient[distances.index(e)] += line[e];
}

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
