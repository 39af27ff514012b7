#include "heed/folders/stored_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/weights/int8_matrix.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

constexpr const char* checksum_key = "heed.checksum";
constexpr const char* file_name = "model.safetensors";
// MarianMT stores this one as a row.
Shape stored_shape(const std::string& name, const Shape& shape) {
  return name == "final_logits_bias" ? Shape{1, shape.elements()} : shape;
}

// Still finite when multiplied by any 8-bit integer.
constexpr double largest_step = 1e36;

std::string scale_name(const std::string& name) { return name + ".scale"; }

// Sorted by name, so that the order in which a model visits its parameters does not matter.
std::string checksum_text(std::vector<Parameter> parameters) {
  std::ranges::sort(parameters, {}, &Parameter::name);
  uint32_t sum = 0;
  for (const Parameter& parameter : parameters)
    sum = checksum(std::as_bytes(parameter.value.span<float>()), sum);
  return fmt::format("crc32:{:08x}", sum);
}

// Adds the matrix and returns what a reader will find.
Tensor add_int8(TensorFileWriter& writer, const std::string& name, const Tensor& matrix) {
  Int8Matrix small = to_int8(matrix);
  Tensor found = from_int8(matrix.shape(), small.integers, small.scales);
  const Shape rows{static_cast<int64_t>(small.scales.size())};
  writer.add(scale_name(name), Tensor::copy_of(rows, std::span<const float>(small.scales)));
  writer.add_int8(name, matrix.shape(), std::move(small.integers));
  return found;
}

// Adds the parameter and returns what a reader will find.
Tensor add(TensorFileWriter& writer, const Parameter& parameter, WeightStorage storage) {
  Tensor stored = parameter.value.reshape(stored_shape(parameter.name, parameter.value.shape()));
  const bool is_matrix = is_worth_int8(parameter.value.shape());
  if (is_matrix && storage == WeightStorage::float16)
    return writer.add_half(parameter.name, stored);
  if (is_matrix && storage == WeightStorage::int8) return add_int8(writer, parameter.name, stored);
  writer.add(parameter.name, stored);
  return stored;
}

// Floats of any kind, or integers with their scales.
Tensor read(const TensorFile& file, const std::string& name, const Shape& expected) {
  require(file.contains(name), "{}: array \"{}\" is missing", file.file(), name);
  require(file.shape(name) == expected, "{}: array \"{}\" has shape {} but {} was expected",
          file.file(), name, file.shape(name), expected);
  if (file.entry(name).type != StoredType::i8) return file.map_finite(name);
  const std::string scales = scale_name(name);
  const Shape rows{expected.rows()};
  require(file.contains(scales) && file.shape(scales) == rows,
          "{}: array \"{}\" needs an array \"{}\" of shape {} beside it", file.file(), name, scales,
          rows);
  const Tensor steps = file.read_finite(scales, Type::float32);
  for (int64_t row = 0; row < steps.elements(); ++row)
    require(std::abs(steps[row]) < largest_step,
            "{}: array \"{}\" holds {} at ({}) but less than {} was expected", file.file(), scales,
            steps[row], row, largest_step);
  return from_int8(expected, file.int8_values(name), steps.span<float>());
}

}  // namespace

std::string_view name_of(WeightStorage storage) {
  switch (storage) {
    case WeightStorage::float32:
      return "float32";
    case WeightStorage::float16:
      return "float16";
    case WeightStorage::int8:
      return "int8";
  }
  __builtin_unreachable();
}

void save_weights(const std::filesystem::path& folder, std::span<const Parameter> parameters,
                  WeightStorage storage, const ModelSeal& seal) {
  TensorFileWriter writer;
  std::vector<Parameter> found;
  for (const Parameter& parameter : parameters)
    found.push_back({parameter.name, add(writer, parameter, storage)});
  Metadata metadata = {{"format", "pt"}, {checksum_key, checksum_text(found)}};
  if (!seal.empty()) seal.write_to(metadata);
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  writer.save(folder / file_name);
}

WeightStorage load_weights(const std::filesystem::path& folder, ParameterModel& model) {
  const TensorFile file = TensorFile::open(folder / file_name);
  ModelSeal::read(file.metadata(), file.file());  // refuses damaged metadata
  std::vector<Parameter> loaded;
  WeightStorage storage = WeightStorage::float32;
  size_t scales = 0;
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    value = read(file, name, stored_shape(name, value.shape())).reshape(value.shape());
    const StoredType type = file.entry(name).type;
    if (type == StoredType::f16) storage = WeightStorage::float16;
    if (type == StoredType::i8) storage = WeightStorage::int8;
    scales += type == StoredType::i8;
    loaded.push_back({name, value});
  });
  require(loaded.size() + scales == file.names().size(), "{}: {} arrays but the model has {}",
          file.file(), file.names().size(), loaded.size() + scales);
  const auto stored = file.metadata().find(checksum_key);
  if (stored == file.metadata().end()) return storage;  // of another tool
  const std::string found = checksum_text(loaded);
  require(stored->second == found, "{}: damaged: the checksum is {} but {} was expected",
          file.file(), found, Quoted{stored->second});
  return storage;
}

ModelSeal load_seal(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / file_name;
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return {};
  return ModelSeal::read(TensorFile::open(path).metadata(), path.string());
}

void accept_config(const std::filesystem::path& folder, std::string_view config) {
  const std::filesystem::path path = folder / file_name;
  const ModelSeal before = load_seal(folder);
  if (before.empty()) return;
  const ModelSeal now = before.with_config(config);
  if (now == before) return;
  Metadata metadata = TensorFile::open(path).metadata();
  now.write_to(metadata);
  replace_metadata(path, metadata);
}

}  // namespace heed
