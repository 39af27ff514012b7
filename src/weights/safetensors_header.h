// The header of a safetensors file: a JSON object that describes each array and where its numbers
// are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/weights/stored_type.h"

namespace heed {

struct StoredArray {
  StoredType type = StoredType::f32;
  std::vector<int64_t> sizes;
  int64_t begin = 0;  // offsets of its bytes within the data that follows the header
  int64_t end = 0;

  std::string shape_text() const;  // "(2, 3)"
  bool operator==(const StoredArray&) const = default;
};

struct SafetensorsHeader {
  static constexpr int64_t max_length = 100'000'000;  // bytes, a limit of the format

  std::map<std::string, StoredArray, std::less<>> arrays;
  std::map<std::string, std::string, std::less<>> metadata;
};

// Reads a header and checks all of it, so that a reader can trust every entry: the types are known,
// each array has exactly the bytes that its shape needs, and the arrays lie end to end from 0 to
// `data_length` without hole or overlap. Needs no more memory than a small multiple of the header
// itself. Errors begin with the name of the file.
SafetensorsHeader parse_safetensors_header(std::string_view json, int64_t data_length,
                                           std::string_view file);

// The JSON text, padded with spaces so that the data begins at a multiple of 8 bytes. The names
// must be UTF-8.
std::string safetensors_header_text(const SafetensorsHeader& header);

}  // namespace heed
