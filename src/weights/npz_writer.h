// Named arrays in numpy's archive (*.npz), laid out as Marian's reader needs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/weights/stored_type.h"

namespace heed {

// Collects arrays and writes them all at once, sorted by name: the file is complete or not there.
//
// Marian reads such a file from the front, without its directory: parts must be stored as they are,
// with their sizes in front of them, and headers of arrays must be short lines of version 1. What
// writes zip archives in general promises none of that.
class NpzWriter {
 public:
  // As float32 or float16. An Error if a number is too large for that.
  void add(const std::string& name, const Tensor& tensor, StoredType type = StoredType::f32);
  // Text as an array of bytes, with zeros up to a multiple of 256 and at least one, as Marian keeps
  // it.
  void add_text(const std::string& name, std::string_view text);

  // An Error if it takes more than the format's 4 GB.
  void save(const std::filesystem::path& path) const;

 private:
  struct Array {
    std::string header;
    std::vector<std::byte> bytes;
  };

  void put(const std::string& name, std::string_view type, const Shape& shape,
           std::vector<std::byte> bytes);

  std::map<std::string, Array> arrays_;
};

}  // namespace heed
