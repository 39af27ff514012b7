// A strided matrix in memory, for kernels that need more than a span.
#pragma once

#include <cstdint>
#include <type_traits>

namespace heed::kernels {

// Element (r, c) is data[r * row_stride + c * column_stride]. Nothing is owned; a null `data` means
// "absent".
template <typename T>
struct MatrixView {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 1;

  T& operator()(int64_t row, int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
  T* row(int64_t index) const { return data + index * row_stride; }
  bool present() const { return data != nullptr; }

  MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }

  // The part of `height` rows and `width` columns whose first element is (first_row, first_column).
  MatrixView block(int64_t first_row, int64_t first_column, int64_t height, int64_t width) const {
    return {data + first_row * row_stride + first_column * column_stride, height, width, row_stride,
            column_stride};
  }

  // A readable view of a writable one.
  operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data, rows, columns, row_stride, column_stride};
  }
};

// Rows laid end to end.
template <typename T>
MatrixView<T> matrix(T* data, int64_t rows, int64_t columns) {
  return {data, rows, columns, columns, 1};
}

}  // namespace heed::kernels
