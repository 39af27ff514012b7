// The weights of a folder of Hugging Face: model.safetensors or pytorch_model.bin, in one file or
// in several with an index.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heed/tensor/tensor.h"
#include "heed/weights/stored_type.h"
#include "heed/weights/tensor_file.h"
#include "heed/weights/torch_file.h"

namespace heed {

// Every error is one sentence that names the file and the array.
class HuggingFaceWeights {
 public:
  explicit HuggingFaceWeights(const std::filesystem::path& folder);
  // Whether the folder has any.
  static bool are_in(const std::filesystem::path& folder);
  // What they take, in all of their files.
  static size_t bytes_in(const std::filesystem::path& folder);

  std::vector<std::string> names() const;  // sorted
  bool contains(std::string_view name) const { return files_of_.contains(name); }
  StoredType type(std::string_view name) const;
  std::string file_of(std::string_view name) const;  // of the first file if there is no such array

  // Finite floats as float32. If they are stored as such in model.safetensors, the tensor shares
  // its pages. An Error unless they have this shape.
  Tensor read(std::string_view name, const Shape& expected) const;

  // An Error unless the files can hold this many weights. Worth asking before memory is allocated
  // for a model of unchecked sizes.
  void check_size(double weights) const;

 private:
  using File = std::variant<TensorFile, TorchFile>;

  const File& file(std::string_view name) const;

  std::vector<std::filesystem::path> paths_;
  std::vector<File> files_;
  std::map<std::string, size_t, std::less<>> files_of_;
};

}  // namespace heed
