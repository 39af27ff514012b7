// The checksum of what a safetensors file holds, in its metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/weights/tensor_file.h"

namespace heed {

// Whoever writes a file and whoever reads it add the same things in the same order.
class FileChecksum {
 public:
  void add(std::span<const std::byte> bytes) { sum_ = checksum(bytes, sum_); }
  void add(const Tensor& tensor) { add(std::as_bytes(tensor.span<float>())); }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

  void write_to(TensorFileWriter& writer) const { writer.set_metadata(key, text()); }

  static bool is_in(const TensorFile& file) { return file.metadata().contains(key); }

  void require_that_of(const TensorFile& file) const {
    const auto stored = file.metadata().find(key);
    require(stored != file.metadata().end(), "{}: damaged: the checksum is missing", file.file());
    require(stored->second == text(), "{}: damaged: the checksum is {} but {} was expected",
            file.file(), text(), Quoted{stored->second});
  }

 private:
  static constexpr const char* key = "heed.checksum";

  std::string text() const { return fmt::format("crc32:{:08x}", sum_); }

  uint32_t sum_ = 0;
};

}  // namespace heed
