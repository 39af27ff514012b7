// Named tensors in a file, in the safetensors format. The reader trusts nothing; the writer's files
// can be read by other tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/files.h"
#include "heed/tensor/tensor.h"
#include "heed/weights/safetensors_header.h"

namespace heed {

// Every error is one sentence that names the file, the array, what was expected and what was found,
// e.g.
//   inputs.safetensors: array "keys" has type I32 but F32 was expected
// Everything is checked before memory for an array is allocated, so a file cannot ask for more than
// a few times its own size.
class TensorFile {
 public:
  static TensorFile open(const std::filesystem::path& path);
  // Reads from memory, which must outlive the object. `file` is the name for errors.
  static TensorFile parse(std::span<const std::byte> bytes, std::string file);

  const std::string& file() const { return file_; }
  std::vector<std::string> names() const;  // sorted
  bool contains(std::string_view name) const { return header_.arrays.contains(name); }
  const StoredArray& entry(std::string_view name) const;  // an Error if there is none
  Shape shape(std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& metadata() const {
    return header_.metadata;
  }

  // Numbers of a type that `wanted` represents exactly: F16, BF16 and F32 as float32, these and F64
  // as float64.
  Tensor read(std::string_view name, Type wanted) const;
  // The same, and an Error if one of them is infinite or NaN.
  Tensor read_finite(std::string_view name, Type wanted) const;
  // Finite numbers as float32. If they are stored as such, the tensor shares the pages of the file.
  Tensor map_finite(std::string_view name) const;
  // The numbers of an I8 array, in the mapped file.
  std::span<const int8_t> int8_values(std::string_view name) const;
  // Integers of any type but U64.
  std::vector<int64_t> read_integers(std::string_view name) const;
  // 0 or 1 for each element of a BOOL array.
  std::vector<uint8_t> read_booleans(std::string_view name) const;

 private:
  TensorFile(std::shared_ptr<MappedFile> mapped, std::span<const std::byte> bytes,
             std::string file);
  std::span<const std::byte> bytes_of(const StoredArray& array) const;
  void check_finite(std::string_view name, const Tensor& tensor) const;
  [[noreturn]] void fail_type(std::string_view name, std::string_view expected) const;

  std::shared_ptr<MappedFile> mapped_;  // or null
  std::string file_;
  SafetensorsHeader header_;
  std::span<const std::byte> data_;  // what follows the header
};

// Writes the file again with other metadata; its arrays stay as they are. As always, completely or
// not at all.
void replace_metadata(const std::filesystem::path& path,
                      const std::map<std::string, std::string, std::less<>>& metadata);

// The place of an element of a row-major array, counted from 0 on each axis: "(1, 0, 2)".
std::string index_text(const Shape& shape, int64_t element);

// Collects named arrays and writes them all at once: the file is complete or not there.
class TensorFileWriter {
 public:
  // Shares the tensor's numbers: save() writes their values at that time.
  void add(const std::string& name, const Tensor& tensor);
  // Float32 numbers that come in pieces, when the file is saved: `produce` hands them to the sink
  // in order.
  using NumberSink = std::function<void(std::span<const float>)>;
  using NumberSource = std::function<void(const NumberSink&)>;
  void add_stream(const std::string& name, const Shape& shape, NumberSource produce);
  // Of float32, rounded to F16; returns the rounded numbers. An Error if one is too large for that.
  Tensor add_half(const std::string& name, const Tensor& tensor);
  void add_int8(const std::string& name, const Shape& shape, std::vector<int8_t> values);
  void add_integers(const std::string& name, const Shape& shape, std::vector<int64_t> values);
  void add_booleans(const std::string& name, const Shape& shape,
                    std::vector<uint8_t> values);  // 0 or 1
  void set_metadata(const std::string& key, const std::string& value);

  void save(const std::filesystem::path& path) const;

 private:
  struct Array {
    StoredType type;
    Shape shape;
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
    NumberSource produce = {};  // instead of bytes
  };
  using NamedArray = std::pair<const std::string, Array>;

  void add_array(const std::string& name, Array array);
  static void write(const NamedArray& named, OutputFile& file);
  std::vector<const NamedArray*> file_order() const;
  std::string header_text(std::span<const NamedArray* const> order) const;

  std::map<std::string, Array> arrays_;
  std::map<std::string, std::string, std::less<>> metadata_;
};

}  // namespace heed
