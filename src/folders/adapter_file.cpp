#include "heed/folders/adapter_file.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/numbers.h"
#include "heed/base/text.h"
#include "heed/layers/low_rank_adapter.h"
#include "heed/weights/file_checksum.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr const char *rank_key = "heed.adapter.rank", *alpha_key = "heed.adapter.alpha",
                     *base_key = "heed.adapter.base";
constexpr std::string_view down_suffix = ".lora_A", up_suffix = ".lora_B";

// The settings are part of what the checksum is of.
std::string settings_text(const AdapterDescription& description) {
  return fmt::format("{} {} {}", description.rank, description.alpha, description.base);
}

std::string entry_of(const TensorFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  require(found != file.metadata().end(), "{}: is no adapter of heed: \"{}\" is missing",
          file.file(), key);
  return found->second;
}

AdapterDescription description_in(const TensorFile& file) {
  const std::string rank = entry_of(file, rank_key), alpha = entry_of(file, alpha_key);
  AdapterDescription found = {.rank = parse_number<int64_t>(rank).value_or(0),
                              .alpha = parse_number<double>(alpha).value_or(0),
                              .base = entry_of(file, base_key)};
  require(found.rank >= 1 && std::isfinite(found.alpha) && found.alpha > 0,
          "{}: a rank of {} and an alpha of {}, but positive numbers were expected", file.file(),
          Quoted{rank}, Quoted{alpha});
  return found;
}

// A matrix of the file, which must have this shape.
Tensor matrix_in(const TensorFile& file, const std::string& name, const Shape& expected) {
  require(file.contains(name), "{}: array \"{}\" is missing", file.file(), printable(name));
  require(file.shape(name) == expected, "{}: array \"{}\" has shape {} but {} was expected",
          file.file(), printable(name), file.shape(name), expected);
  return file.map_finite(name);
}

void check_sum(const TensorFile& file, const AdapterDescription& description) {
  FileChecksum sum;
  for (const std::string& name : file.names()) sum.add(file.map_finite(name));
  sum.add(settings_text(description));
  sum.require_that_of(file);
}

void apply(const TensorFile& file, ModelFolder& model) {
  const AdapterDescription found = description_in(file);
  check_sum(file, found);
  const std::string base = adapter_base(model);
  require(found.base == base,
          "{}: is an adapter of another model: of one with the checksum {}, but this one has {}",
          file.file(), Quoted{found.base}, base);
  size_t used = 0;
  model.model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
    constexpr std::string_view ending = ".weight";
    if (!name.ends_with(ending)) return;
    const std::string layer = name.substr(0, name.size() - ending.size()),
                      down = layer + std::string(down_suffix), up = layer + std::string(up_suffix);
    if (!file.contains(down) && !file.contains(up)) return;
    require(value.shape().rank() == 2, "{}: array \"{}\" is for a weight of shape {}", file.file(),
            down, value.shape());
    const LowRankAdapter adapter = {matrix_in(file, down, {found.rank, value.shape()[1]}),
                                    matrix_in(file, up, {value.shape()[0], found.rank}),
                                    found.alpha / static_cast<double>(found.rank)};
    value = merged(value, adapter);
    used += 2;
  });
  require(used == file.names().size(), "{}: {} arrays, but the model has layers for {}",
          file.file(), file.names().size(), used);
}

}  // namespace

std::string adapter_base(const ModelFolder& model) {
  std::vector<Parameter> parameters = parameters_of(*model.model);
  std::ranges::sort(parameters, {}, &Parameter::name);
  uint32_t sum = 0;
  const auto add = [&](std::span<const std::byte> bytes) { sum = checksum(bytes, sum); };
  for (const Parameter& parameter : parameters) add(std::as_bytes(parameter.value.span<float>()));
  for (const Vocabulary* words : {&model.source, &model.target}) {
    const std::string bytes = words->bytes();
    add(std::as_bytes(std::span(bytes)));
  }
  return fmt::format("crc32:{:08x}", sum);
}

void save_adapter(const fs::path& file, std::span<const Parameter> matrices,
                  const AdapterDescription& description) {
  TensorFileWriter writer;
  std::map<std::string, Tensor> sorted;
  for (const Parameter& matrix : matrices) {
    writer.add(matrix.name, matrix.value);
    sorted.emplace(matrix.name, matrix.value);
  }
  FileChecksum sum;
  for (const auto& [name, value] : sorted) sum.add(value);
  sum.add(settings_text(description));
  writer.set_metadata("format", "pt");
  writer.set_metadata(rank_key, fmt::format("{}", description.rank));
  writer.set_metadata(alpha_key, fmt::format("{}", description.alpha));
  writer.set_metadata(base_key, description.base);
  sum.write_to(writer);
  writer.save(file);
}

fs::path adapter_in(const fs::path& file) {
  std::error_code error;
  return fs::is_directory(file, error) ? file / adapter_name : file;
}

void apply_adapter(const fs::path& file, ModelFolder& model) {
  with_error_kind(ErrorKind::model, [&] { apply(TensorFile::open(adapter_in(file)), model); });
}

ModelFolder adapted(ModelFolder model, const fs::path& file) {
  if (!file.empty()) apply_adapter(file, model);
  return model;
}

ModelFolder load_adapted(const fs::path& folder, const fs::path& file) {
  return adapted(load_model_folder(folder), file);
}

}  // namespace heed
