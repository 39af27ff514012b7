// Matrices as 8-bit integers, with a scale for each row, as they are stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct Int8Matrix {
  std::vector<int8_t> integers;  // row after row
  std::vector<float> scales;     // one for each row
};

// Whether an array of this shape is stored as integers at all: a matrix whose rows are worth their
// scales.
bool is_worth_int8(const Shape& shape);

Int8Matrix to_int8(const Tensor& matrix);

// The matrix that integers and scales stand for.
Tensor from_int8(const Shape& shape, std::span<const int8_t> integers,
                 std::span<const float> scales);

}  // namespace heed
