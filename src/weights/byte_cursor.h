// Reads a binary file from start to end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/error.h"

namespace heed {

// Refuses to read past the end. `what` is the start of that sentence, as in "the version".
class ByteCursor {
 public:
  // Both outlive the cursor.
  ByteCursor(std::span<const std::byte> bytes, const std::string& file)
      : left_(bytes), file_(file) {}

  std::span<const std::byte> take(uint64_t count, std::string_view what) {
    require(count <= left_.size(), "{}: {} needs {} bytes but {} are left", file_, what, count,
            left_.size());
    const std::span<const std::byte> taken = left_.first(static_cast<size_t>(count));
    left_ = left_.subspan(taken.size());
    return taken;
  }

  // Of the file's byte order, which is little-endian.
  template <typename Number>
  Number number(std::string_view what) {
    static_assert(std::endian::native == std::endian::little);
    Number value;
    std::memcpy(&value, take(sizeof(Number), what).data(), sizeof(Number));
    return value;
  }

  size_t left() const { return left_.size(); }
  const std::string& file() const { return file_; }

 private:
  std::span<const std::byte> left_;
  const std::string& file_;
};

}  // namespace heed
