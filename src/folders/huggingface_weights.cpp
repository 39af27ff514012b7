#include "heed/folders/huggingface_weights.h"

#include <set>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr const char* file_names[] = {"model.safetensors", "pytorch_model.bin"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The files that an index names, which are beside it.
std::set<std::string> parts_of(const fs::path& index) {
  const JsonValue json = parse_shallow_json(MappedFile(index).text(), index.string());
  require(json.is_object() && json.contains("weight_map") && json["weight_map"].is_object(),
          "{}: has no \"weight_map\"", index.string());
  std::set<std::string> parts;
  for (const auto& [name, part] : json["weight_map"].items()) {
    const std::string text = part.is_string() ? part.get<std::string>() : "";
    require(!text.empty() && fs::path(text).filename() == text && text != "." && text != "..",
            "{}: array {} is in {} but the name of a file beside it was expected", index.string(),
            Quoted{name}, shorten(part.dump(), 80));
    parts.insert(text);
  }
  require(!parts.empty(), "{}: names no file", index.string());
  return parts;
}

// Empty if there are none.
std::vector<fs::path> paths_in(const fs::path& folder) {
  for (const char* name : file_names) {
    if (is_there(folder / name)) return {folder / name};
    const fs::path index = folder / fmt::format("{}.index.json", name);
    if (!is_there(index)) continue;
    std::vector<fs::path> paths;
    for (const std::string& part : parts_of(index)) paths.push_back(folder / part);
    return paths;
  }
  return {};
}

}  // namespace

bool HuggingFaceWeights::are_in(const fs::path& folder) {
  for (const char* name : file_names)
    if (is_there(folder / name) || is_there(folder / fmt::format("{}.index.json", name)))
      return true;
  return false;
}

size_t HuggingFaceWeights::bytes_in(const fs::path& folder) {
  size_t bytes = 0;
  std::error_code error;
  for (const fs::path& path : paths_in(folder)) {
    bytes += fs::file_size(path, error);
    require(!error, ErrorKind::system, "{}: cannot be read: {}", path.string(), error.message());
  }
  return bytes;
}

HuggingFaceWeights::HuggingFaceWeights(const fs::path& folder) : paths_(paths_in(folder)) {
  require(!paths_.empty(), "{}: has neither model.safetensors nor pytorch_model.bin",
          folder.string());
  for (const fs::path& path : paths_) {
    // By what comes after the numbers that tell shards apart: "pytorch_model-00001-of-00002.bin".
    if (path.extension() == ".safetensors")
      files_.emplace_back(TensorFile::open(path));
    else
      files_.emplace_back(TorchFile::open(path));
    const std::vector<std::string> names =
        std::visit([](const auto& file) { return file.names(); }, files_.back());
    for (const std::string& name : names)
      require(files_of_.emplace(name, files_.size() - 1).second,
              "{}: array {} is in another file as well", path.string(), Quoted{name});
  }
}

std::vector<std::string> HuggingFaceWeights::names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : files_of_) names.push_back(name);
  return names;
}

std::string HuggingFaceWeights::file_of(std::string_view name) const {
  const auto found = files_of_.find(name);
  return paths_[found == files_of_.end() ? 0 : found->second].string();
}

const HuggingFaceWeights::File& HuggingFaceWeights::file(std::string_view name) const {
  const auto found = files_of_.find(name);
  require(found != files_of_.end(), "{}: array {} is missing", file_of(name), Quoted{name});
  return files_[found->second];
}

StoredType HuggingFaceWeights::type(std::string_view name) const {
  const File& holder = file(name);
  if (const auto* tensors = std::get_if<TensorFile>(&holder)) return tensors->entry(name).type;
  return std::get<TorchFile>(holder).type(name);
}

Tensor HuggingFaceWeights::read(std::string_view name, const Shape& expected) const {
  const File& holder = file(name);
  const Shape found = std::visit([&](const auto& file) { return file.shape(name); }, holder);
  require(found == expected, "{}: array {} has shape {} but {} was expected", file_of(name),
          Quoted{name}, found, expected);
  if (const auto* tensors = std::get_if<TensorFile>(&holder)) return tensors->map_finite(name);
  return std::get<TorchFile>(holder).read(name);
}

void HuggingFaceWeights::check_size(double weights) const {
  constexpr double smallest_weight = 1;  // bytes
  double bytes = 0;
  for (const fs::path& path : paths_) bytes += static_cast<double>(MappedFile(path).bytes().size());
  require(weights * smallest_weight <= bytes,
          "{}: {} bytes are too few for the model that config.json describes",
          paths_.front().string(), bytes);
}

}  // namespace heed
