// How products are cut into blocks, and where packed blocks live.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include "heed/base/round_up.h"

namespace heed::kernels {

// A length cut into parts of at most `most`, which are whole multiples of `unit` (but for the end)
// and as equal as that allows: a small rest would cost nearly as much as a full part.
class EvenCut {
 public:
  EvenCut(int64_t length, int64_t most, int64_t unit = 1)
      : length_(length), unit_(unit), step_(length) {
    if (length <= most) return;
    const int64_t units = divide_up(length, unit);
    const int64_t most_units = most / unit;
    parts_ = divide_up(units, most_units);
    step_ = units / parts_ * unit;
    longer_ = units % parts_;
  }

  int64_t parts() const { return parts_; }
  // The part after the last one is empty.
  int64_t begin(int64_t part) const {
    return std::min(length_, part * step_ + std::min(part, longer_) * unit_);
  }
  int64_t size(int64_t part) const { return begin(part + 1) - begin(part); }

 private:
  int64_t length_;
  int64_t unit_;
  int64_t step_;
  int64_t parts_ = 1;
  int64_t longer_ = 0;  // this many parts have one unit more
};

// Aligned memory that only grows, so that a thread's products stop allocating after the first few.
class Scratch {
 public:
  float* reserve(int64_t count) {
    if (count > capacity_) {
      capacity_ = 0;
      data_ = hwy::AllocateAligned<float>(static_cast<size_t>(count));
      if (data_ == nullptr) throw std::bad_alloc();
      capacity_ = count;
    }
    return data_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<float[]> data_;
  int64_t capacity_ = 0;
};

}  // namespace heed::kernels
