// The model.bin of a CTranslate2 folder, versions 2 to 6: named arrays, and single numbers that
// describe the model. The reader trusts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/files.h"
#include "heed/tensor/tensor.h"
#include "heed/weights/stored_type.h"

namespace heed {

// Every error is one sentence that names the file and the array. Sizes are compared with what the
// file holds before memory is allocated.
class CTranslate2File {
 public:
  static CTranslate2File open(const std::filesystem::path& path);
  // Reads from memory, which must outlive the object. `file` is the name for errors.
  static CTranslate2File parse(std::span<const std::byte> bytes, std::string file);

  const std::string& file() const { return file_; }
  size_t size() const { return size_; }                                // in bytes
  const std::string& specification() const { return specification_; }  // "TransformerSpec"
  std::vector<std::string> names() const;                              // sorted, with the aliases
  bool contains(std::string_view name) const { return arrays_.contains(name); }
  Shape shape(std::string_view name) const;
  StoredType type(std::string_view name) const;

  // Floats of any size as float32; int8 and int16 numbers divided by the scale that the file holds
  // for them, one for the array or one for each row. An Error where one is infinite or not a
  // number.
  Tensor read(std::string_view name) const;
  // A single integer, or the other number where the file has none.
  int64_t number(std::string_view name, int64_t otherwise) const;

 private:
  struct Array {
    StoredType type = StoredType::f32;
    Shape shape;
    std::span<const std::byte> bytes;
  };

  CTranslate2File(std::optional<MappedFile> mapped, std::span<const std::byte> bytes,
                  std::string file);
  const Array& array(std::string_view name) const;
  void divide_by_scale(std::string_view name, Tensor& values) const;

  std::optional<MappedFile> mapped_;
  std::string file_;
  size_t size_;
  std::string specification_;
  std::map<std::string, Array, std::less<>> arrays_;
};

}  // namespace heed
