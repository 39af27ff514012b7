#include "heed/weights/int8_matrix.h"

#include <optional>

#include "heed/kernels/int8_gemm.h"

namespace heed {

bool is_worth_int8(const Shape& shape) {
  constexpr int64_t shortest_row = 32;
  return shape.rank() == 2 && shape.columns() >= shortest_row;
}

Int8Matrix to_int8(const Tensor& matrix) {
  const kernels::MatrixView<const float> rows = matrix.matrix<float>();
  Int8Matrix result;
  result.integers.reserve(static_cast<size_t>(matrix.elements()));
  const std::optional<kernels::Int8Scale> common = kernels::common_scale(rows);
  for (int64_t r = 0; r < rows.rows; ++r) {
    const std::span<const float> row(rows.row(r), static_cast<size_t>(rows.columns));
    const kernels::Int8Scale scale = common ? *common : kernels::Int8Scale::of(row);
    for (const float weight : row) result.integers.push_back(scale.integer(weight));
    result.scales.push_back(scale.step);
  }
  return result;
}

Tensor from_int8(const Shape& shape, std::span<const int8_t> integers,
                 std::span<const float> scales) {
  Tensor values = Tensor::uninitialised(shape);
  const std::span<float> to = values.span<float>();
  const size_t columns = static_cast<size_t>(shape.columns());
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(integers[i]) * scales[i / columns];
  return values;
}

}  // namespace heed
