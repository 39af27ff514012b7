// The scratch memory of streamed attention, and copying rows that do not fill whole vectors into
// and out of it.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_SCRATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_SCRATCH_INL_H_
#undef HEED_KERNELS_ATTENTION_SCRATCH_INL_H_
#else
#define HEED_KERNELS_ATTENTION_SCRATCH_INL_H_
#endif

#include <hwy/aligned_allocator.h>
#include <algorithm>
#include <new>

#include "heed/base/per_thread.h"
#include "heed/base/round_up.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/attention_sight-inl.h"
#include "heed/kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

// All scratch memory of one call. A thread keeps it between calls: many calls are for heads of the
// same sizes, and for a short sentence even the layout is worth keeping.
struct AttentionScratch {
  float *largest, *sums, *factors, *norms, *means;  // by query
  float *vector, *parameter;                        // by width
  float *query_columns, *gradient_columns;          // (width, kQueryBlock)
  float *scores, *score_gradients;                  // (kKeyBlock, kQueryBlock)
  float *shift_rows, *shift_columns;                // (kQueryBlock, kKeyBlock) and its transpose
  float* padding;                                   // (kLanes, any width), for `transpose`
  float* output;                                    // (kQueryBlock, value width)
  float *key_rows, *value_rows, *query_rows,
      *gradient_rows;                         // copies of rows that do not fill whole vectors
  float *query_sums, *key_sums, *value_sums;  // gradients of such rows

  static const AttentionScratch& of_thread(const AttentionHead<float>& head) {
    AttentionScratch& scratch = per_thread<AttentionScratch>();
    scratch.fit(head.queries.columns, head.values.columns);
    return scratch;
  }

 private:
  void fit(int64_t width, int64_t value_width) {
    if (width == width_ && value_width == value_width_) return;
    const int64_t floats = lay_out(nullptr, width, value_width);
    if (floats > capacity_) {
      capacity_ = width_ = value_width_ = 0;
      memory_ = hwy::AllocateAligned<float>(static_cast<size_t>(floats));
      if (memory_ == nullptr) throw std::bad_alloc();
      capacity_ = floats;
    }
    lay_out(memory_.get(), width, value_width);
    width_ = width;
    value_width_ = value_width;
  }

  // Points all parts into `memory`, if any, and returns the number of floats they need.
  int64_t lay_out(float* memory, int64_t exact_width, int64_t exact_value_width) {
    const int64_t width = round_up(exact_width, kLanes);
    const int64_t value_width = round_up(exact_value_width, kLanes);
    int64_t size = 0;
    const auto take = [&](float*& part, int64_t floats) {
      part = memory == nullptr ? nullptr : memory + size;
      // The gap keeps the parts from lying a multiple of 4096 bytes apart, where loads wait for
      // unrelated stores.
      size += round_up(floats, 16) + 48;
    };
    take(padding, kLanes * std::max({width, value_width, kKeyBlock, kQueryBlock}));
    for (float** part : {&largest, &sums, &factors, &norms, &means}) take(*part, kQueryBlock);
    for (float** part : {&vector, &parameter}) take(*part, width);
    take(query_columns, width * kQueryBlock);
    take(gradient_columns, value_width * kQueryBlock);
    for (float** part : {&scores, &score_gradients, &shift_rows, &shift_columns})
      take(*part, kKeyBlock * kQueryBlock);
    for (float** part : {&output, &gradient_rows}) take(*part, kQueryBlock * value_width);
    for (float** part : {&query_rows, &query_sums}) take(*part, kQueryBlock * width);
    for (float** part : {&key_rows, &key_sums}) take(*part, kKeyBlock * width);
    for (float** part : {&value_rows, &value_sums}) take(*part, kKeyBlock * value_width);
    return size;
  }

  hwy::AlignedFreeUniquePtr<float[]> memory_;
  int64_t capacity_ = 0;
  int64_t width_ = 0;
  int64_t value_width_ = 0;
};

// The rows [first, first + count) of a matrix, as they are if they fill whole vectors, else a
// padded copy in `scratch`.
inline Rows<const float> open_rows(MatrixView<const float> matrix, int64_t first, int64_t count,
                                   float* scratch) {
  if (matrix.columns % kLanes == 0) return {matrix.row(first), matrix.row_stride};
  const int64_t stride = round_up(matrix.columns, kLanes);
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(matrix.row(first + r), matrix.columns, scratch + r * stride);
    std::fill(scratch + r * stride + matrix.columns, scratch + (r + 1) * stride, 0.0f);
  }
  return {scratch, stride};
}

// The rows of a gradient, to be added to: as they are if they fill whole vectors, else zeros that
// are added on closing.
class OpenGradient {
 public:
  OpenGradient(MatrixView<float> matrix, int64_t first, int64_t count, float* scratch)
      : matrix_(matrix), first_(first), count_(count), copied_(matrix.columns % kLanes != 0) {
    if (copied_) {
      rows_ = {scratch, round_up(matrix.columns, kLanes)};
      std::fill_n(scratch, count * rows_.stride, 0.0f);
    } else if (matrix.present()) {
      rows_ = {matrix.row(first), matrix.row_stride};
    }
  }

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

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
