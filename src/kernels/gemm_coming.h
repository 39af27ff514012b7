// What a product reads and writes next, fetched into the cache by the register tiles that work
// meanwhile. Its stretches of memory are too short, or too many, for the hardware to see them
// coming.
#pragma once

#include <cstdint>

#include "heed/base/round_up.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

inline constexpr int64_t kLineFloats = 16;

// The cache lines of a matrix, one after the other.
class ComingLines {
 public:
  ComingLines() = default;  // nothing

  // Rows lie in one piece each.
  explicit ComingLines(MatrixView<const float> matrix)
      : row_(matrix.data), stride_(matrix.row_stride), rows_(matrix.rows) {
    const int64_t before =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(matrix.data) / sizeof(float)) %
        kLineFloats;
    lines_ = divide_up(before + matrix.columns, kLineFloats);
  }

  bool any() const { return rows_ > 0; }

  void fetch() {
    __builtin_prefetch(row_ + line_ * kLineFloats, 0, 3);
    if (++line_ < lines_) return;
    line_ = 0;
    row_ += stride_;
    --rows_;
  }

 private:
  const float* row_ = nullptr;
  int64_t stride_ = 0;
  int64_t rows_ = 0;   // that are left
  int64_t lines_ = 0;  // of a row
  int64_t line_ = 0;   // of the first row that is left
};

// In the order in which they are fetched.
struct Coming {
  ComingLines c;  // the tile below
  ComingLines a;  // the tile of rows, or the group of rows, after this one
  ComingLines b;  // the next block of the depth

  // They come from so far that a cache line in every other step is as much as the memory delivers
  // without keeping b's lines waiting.
  static constexpr int64_t kStepsPerLine = 2;

  bool any() const { return c.any() || a.any() || b.any(); }

  void fetch() {
    if (c.any())
      c.fetch();
    else if (a.any())
      a.fetch();
    else if (b.any())
      b.fetch();
  }
};

}  // namespace heed::kernels
