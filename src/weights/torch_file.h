// Named tensors in a file that PyTorch has saved: pytorch_model.bin, a zip archive since
// PyTorch 1.6 and a row of pickles before. The reader trusts nothing and calls nothing.
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
#include "heed/weights/pickle.h"
#include "heed/weights/stored_type.h"
#include "heed/weights/zip_file.h"

namespace heed {

// Every error is one sentence that names the file and the array. Sizes are compared with what the
// file holds before memory is allocated.
class TorchFile {
 public:
  static TorchFile open(const std::filesystem::path& path);
  // Reads from memory, which must outlive the object. `file` is the name for errors.
  static TorchFile parse(std::span<const std::byte> bytes, std::string file);

  const std::string& file() const { return file_; }
  std::vector<std::string> names() const;  // sorted
  bool contains(std::string_view name) const { return arrays_.contains(name); }
  Shape shape(std::string_view name) const { return array(name).shape; }
  StoredType type(std::string_view name) const { return array(name).type; }

  // Floats of any size as float32; an Error if one of them is infinite or NaN.
  Tensor read(std::string_view name) const;

 private:
  // Where a tensor's numbers are: it may be a view of any kind into a storage that others share.
  struct Array {
    StoredType type = StoredType::f32;
    Shape shape;
    std::string storage;
    int64_t first = 0;
    std::vector<int64_t> strides;
  };

  // Numbers of one type. In the older form, they are in the file as they are.
  struct Storage {
    StoredType type = StoredType::f32;
    int64_t numbers = 0;
    size_t length = 0;  // in bytes
    bool placed = false;
    std::span<const std::byte> bytes = {};
  };

  TorchFile(std::optional<MappedFile> mapped, std::span<const std::byte> bytes, std::string file);
  void read_archive(std::span<const std::byte> bytes);
  void read_pickles(std::span<const std::byte> bytes);
  void place_storages(const Pickle& keys, std::span<const std::byte> rest);
  void list_arrays(const Pickle& pickle);
  Array array_of(const Pickle& pickle, const PickleValue& tensor, const std::string& name);
  const Storage& storage_of(const std::string& key, StoredType type, int64_t numbers);
  std::string part_of(const std::string& key) const;  // of the archive
  void check_range(const std::string& name, const Array& array, int64_t stored) const;
  const Array& array(std::string_view name) const;

  std::optional<MappedFile> mapped_;
  std::string file_;
  std::optional<ZipFile> archive_;
  std::string folder_;  // in the archive
  std::map<std::string, Storage, std::less<>> storages_;
  std::map<std::string, Array, std::less<>> arrays_;
};

}  // namespace heed
