// The weights of a Marian model: model.npz, or the binary form of it, *.bin. The reader trusts
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/files.h"
#include "heed/tensor/tensor.h"
#include "heed/weights/int8_matrix.h"

namespace heed {

enum class MarianType {
  float32,
  float16,
  int8,       // text, such as the settings
  intgemm8,   // integers and one multiplier: weight = integer / multiplier
  intgemm16,  // the same, with 16 bits
};

// Every error is one sentence that names the file and the array. Sizes are compared with what the
// file holds before memory is allocated.
class MarianFile {
 public:
  static MarianFile open(const std::filesystem::path& path);
  // Of bytes that the object keeps, such as those of a file that was packed. `file` is the name for
  // errors.
  static MarianFile of(std::string bytes, std::string file);
  // Reads from memory, which must outlive the object.
  static MarianFile parse(std::span<const std::byte> bytes, std::string file);

  // Whether these bytes begin like such a file.
  static bool is_marian(std::span<const std::byte> bytes);

  const std::string& file() const { return file_; }
  size_t size() const { return size_; }    // in bytes, unpacked
  std::vector<std::string> names() const;  // sorted
  bool contains(std::string_view name) const { return items_.contains(name); }
  Shape shape(std::string_view name) const;  // as Marian computes with it: (inputs, outputs)
  MarianType type(std::string_view name) const;

  // The numbers as float32, finite.
  Tensor read(std::string_view name) const;
  // The rows of the transposed matrix, (outputs, inputs), or of a table of words as it is.
  Tensor read_rows(std::string_view name) const;
  // Text, without the zeros at its end.
  std::string text(std::string_view name) const;

 private:
  struct Item {
    MarianType type = MarianType::float32;
    Shape shape;
    std::span<const std::byte> bytes;
  };

  explicit MarianFile(std::string file) : file_(std::move(file)) {}
  void read_archive(std::span<const std::byte> bytes);
  void read_binary(std::span<const std::byte> bytes);
  void read_bytes(std::span<const std::byte> bytes);
  void add(const std::string& name, const Item& item);
  const Item& item(std::string_view name) const;
  Tensor unpacked(std::string_view name, const Item& item) const;

  std::optional<MappedFile> mapped_;
  std::list<std::string> kept_;  // what was unpacked
  std::string file_;
  size_t size_ = 0;
  std::map<std::string, Item, std::less<>> items_;
};

}  // namespace heed
