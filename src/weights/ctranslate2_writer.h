// Writes the model.bin of a CTranslate2 folder, version 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/weights/stored_type.h"

namespace heed {

// Collects named arrays and single numbers and writes them all at once, sorted by name: the file is
// complete or not there.
class CTranslate2Writer {
 public:
  // As float32 or float16. An Error if a number is too large for that.
  void add(const std::string& name, const Tensor& tensor, StoredType type = StoredType::f32);
  // A matrix as 8-bit integers, with "<name>_scale", which the numbers were multiplied by: one for
  // each row.
  void add_int8(const std::string& name, const Tensor& matrix);
  // Single integers, in the types that the format has for them.
  void add_flag(const std::string& name, bool value);
  void add_number8(const std::string& name, int8_t value);
  void add_number16(const std::string& name, int16_t value);
  // Another name of an array, and of its scales.
  void add_alias(const std::string& alias, const std::string& name);

  void save(const std::filesystem::path& path, std::string_view specification,
            uint32_t revision) const;

 private:
  struct Array {
    StoredType type = StoredType::f32;
    std::vector<int64_t> sizes;
    std::vector<std::byte> bytes;
  };

  void put(const std::string& name, Array array);

  std::map<std::string, Array> arrays_;
  std::map<std::string, std::string> aliases_;
};

}  // namespace heed
