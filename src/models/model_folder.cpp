#include "heed/models/model_folder.h"

#include <zlib.h>

#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

constexpr const char* checksum_key = "heed.checksum";

// MarianMT stores this one as a row.
Shape stored_shape(const std::string& name, const Shape& shape) {
  return name == "final_logits_bias" ? Shape{1, shape.elements()} : shape;
}

uint32_t checksum_of(uint32_t before, const Tensor& tensor) {
  return static_cast<uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(tensor.data<float>()), tensor.bytes()));
}

// The order of names, so that it does not matter in which order a model shows its parameters.
std::string checksum_text(std::vector<Parameter> parameters) {
  std::ranges::sort(parameters, {}, &Parameter::name);
  uint32_t sum = 0;
  for (const Parameter& parameter : parameters) sum = checksum_of(sum, parameter.value);
  return fmt::format("crc32:{:08x}", sum);
}

std::string vocabulary_json(const Vocabulary& vocabulary) {
  nlohmann::ordered_json ids = nlohmann::ordered_json::object();
  for (int32_t id = 0; id < vocabulary.size(); ++id) ids[vocabulary.piece(id)] = id;
  return ids.dump(1) + "\n";
}

void write(const std::filesystem::path& path, std::string_view text) { write_file_atomically(path, text); }

void check_vocabulary(const std::filesystem::path& path, const Vocabulary& vocabulary, int64_t expected) {
  require(vocabulary.size() == expected, "{}: {} words with the padding, but config.json says {}",
          path.string(), vocabulary.size(), expected);
}

// Before memory is taken for a model whose sizes nobody has checked.
void check_size(const std::filesystem::path& weights, const ModelConfig& config) {
  constexpr double smallest_weight = 2;  // bytes
  const double bytes = static_cast<double>(MappedFile(weights).bytes().size());
  require(fewest_weights(config) * smallest_weight <= bytes,
          "{}: {} bytes are too few for the model that config.json describes", weights.string(), bytes);
}

}  // namespace

void save_model_description(const std::filesystem::path& folder, const ModelConfig& config,
                            const Vocabulary& source, const Vocabulary& target) {
  write(folder / "source.spm", source.bytes());
  write(folder / "target.spm", target.bytes());
  write(folder / "vocab.json", vocabulary_json(source));
  if (source.bytes() != target.bytes()) write(folder / "target_vocab.json", vocabulary_json(target));
  write(folder / "config.json", to_json(config));
}

void save_weights(const std::filesystem::path& folder, std::span<const Parameter> parameters) {
  TensorFileWriter writer;
  for (const Parameter& parameter : parameters)
    writer.add(parameter.name,
               parameter.value.reshape(stored_shape(parameter.name, parameter.value.shape())));
  writer.set_metadata("format", "pt");
  writer.set_metadata(checksum_key, checksum_text({parameters.begin(), parameters.end()}));
  writer.save(folder / "model.safetensors");
}

void load_weights(const std::filesystem::path& folder, Model& model) {
  const TensorFile file = TensorFile::open(folder / "model.safetensors");
  std::vector<Parameter> loaded;
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    const Shape expected = stored_shape(name, value.shape());
    require(file.contains(name), "{}: array \"{}\" is missing", file.file(), name);
    require(file.shape(name) == expected, "{}: array \"{}\" has shape {} but {} was expected", file.file(),
            name, file.shape(name), expected);
    value = file.read_finite(name, Type::float32).reshape(value.shape());
    loaded.push_back({name, value});
  });
  require(loaded.size() == file.names().size(), "{}: {} arrays but the model has {}", file.file(),
          file.names().size(), loaded.size());
  const auto stored = file.metadata().find(checksum_key);
  if (stored == file.metadata().end()) return;  // of another tool
  require(stored->second == checksum_text(loaded), "{}: damaged: the checksum is {} but {} was expected",
          file.file(), checksum_text(loaded), stored->second);
}

ModelConfig load_model_config(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  return parse_model_config(text, path.string());
}

ModelFolder load_model_folder(const std::filesystem::path& folder) {
  const ModelConfig config = load_model_config(folder / "config.json");
  Vocabulary source = Vocabulary::load(folder / "source.spm"),
             target = Vocabulary::load(folder / "target.spm");
  check_vocabulary(folder / "source.spm", source, source_vocabulary(config));
  check_vocabulary(folder / "target.spm", target, target_vocabulary(config));
  check_size(folder / "model.safetensors", config);
  Rng rng(0);
  std::unique_ptr<Model> model = make_model(config, rng);
  load_weights(folder, *model);
  return {config, std::move(model), std::move(source), std::move(target)};
}

}  // namespace heed
