// Numpy's array format, versions 1 to 3: a header that describes the numbers that follow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/weights/stored_type.h"

namespace heed {

struct NpyHeader {
  static constexpr size_t most_bytes = 65'536;  // of a header that describes one array

  StoredType type = StoredType::f32;
  std::vector<int64_t> sizes;
  size_t data_begin = 0;  // where the numbers start
};

// The header at the front of `bytes`, which may end after it; `file_size` is that of the whole
// file, of which the numbers take exactly the rest. Arrays in Fortran's order are read if they have
// one axis only; numbers in big-endian order are refused. `file` is the name for errors.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, uint64_t file_size,
                           std::string_view file);

}  // namespace heed
