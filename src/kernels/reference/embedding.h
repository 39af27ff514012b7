// What the embedding kernels compute, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed::reference {

template <typename T>
void gather_rows(std::span<const T> table, std::span<const int32_t> ids, int64_t width, T scale,
                 std::span<T> out) {
  const size_t columns = static_cast<size_t>(width);
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t c = 0; c < columns; ++c)
      out[i * columns + c] = scale * table[static_cast<size_t>(ids[i]) * columns + c];
}

template <typename T>
void scatter_add_rows(std::span<const T> rows, std::span<const int32_t> ids, int64_t width, T scale,
                      std::span<T> table) {
  const size_t columns = static_cast<size_t>(width);
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t c = 0; c < columns; ++c)
      table[static_cast<size_t>(ids[i]) * columns + c] += scale * rows[i * columns + c];
}

}  // namespace heed::reference
