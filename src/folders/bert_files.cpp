#include "heed/folders/bert_files.h"

#include <array>
#include <set>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/models/bert.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// Encoders alone are stored without a prefix, or under the name that they have in a model with a
// head.
std::string prefix_in(const TensorFile& file, ParameterModel& model) {
  const std::string first = parameters_of(model).front().name;
  for (const char* prefix : {"", "bert"})
    if (file.contains(dotted(prefix, first))) return prefix;
  fail("{}: array \"{}\" is missing", file.file(), first);
}

// Early files have other names for the gain and the bias of a norm.
std::string name_in(const TensorFile& file, std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> early = {
      {{"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}}};
  if (file.contains(name)) return name;
  for (const auto& [now, then] : early)
    if (name.ends_with(now)) name.replace(name.size() - now.size(), now.size(), then);
  return name;
}

// What the model at hand may not need: counters, and what follows the encoder for one task or
// another.
bool is_left_out(std::string_view name) {
  const auto starts = [&](std::string_view part) { return name.starts_with(part); };
  return name == "embeddings.position_ids" || name == "bert.embeddings.position_ids" ||
         starts("pooler.") || starts("bert.pooler.") || starts("cls.") || starts("classifier.");
}

WeightStorage load_foreign_weights(const fs::path& path, ParameterModel& model) {
  const TensorFile file = TensorFile::open(path);
  const std::string prefix = prefix_in(file, model);
  WeightStorage storage = WeightStorage::float32;
  std::set<std::string> read;
  model.visit_parameters(prefix, [&](const std::string& parameter, Tensor& value) {
    const std::string name = name_in(file, parameter);
    require(file.contains(name), "{}: array \"{}\" is missing", file.file(), name);
    require(file.shape(name) == value.shape(), "{}: array \"{}\" has shape {} but {} was expected",
            file.file(), name, file.shape(name), value.shape());
    if (file.entry(name).type == StoredType::f16) storage = WeightStorage::float16;
    value = file.map_finite(name);
    read.insert(name);
  });
  for (const std::string& name : file.names())
    require(read.contains(name) || is_left_out(name),
            "{}: array {} is none that heed knows of a BERT", file.file(), quote(name));
  return storage;
}

}  // namespace

std::string bert_config_text(const fs::path& folder) {
  std::error_code none;
  const fs::path config = folder / bert_files::config;
  return fs::is_regular_file(config, none) ? std::string(MappedFile(config).text()) : "";
}

WordPieces load_bert_pieces(const fs::path& folder, const BertConfig& config) {
  const fs::path tokenizer = folder / bert_files::tokenizer, weights = folder / bert_files::weights;
  WordPieces pieces = WordPieces::load(tokenizer);
  require(pieces.size() <= config.vocabulary, "{}: {} pieces, but config.json says {}",
          tokenizer.string(), pieces.size(), config.vocabulary);
  const auto frame = static_cast<int64_t>(pieces.encode("").size());
  require(frame < config.context_length,
          "{}: every text has {} tokens more, but the model reads at most {}", tokenizer.string(),
          frame, config.context_length);
  const auto bytes = static_cast<double>(MappedFile(weights).bytes().size());
  require(fewest_weights(config) <= bytes,
          "{}: {} bytes are too few for the model that config.json describes", weights.string(),
          bytes);
  return pieces;
}

WeightStorage load_bert_weights(const fs::path& folder, const ModelSeal& seal,
                                ParameterModel& model) {
  return seal.empty() ? load_foreign_weights(folder / bert_files::weights, model)
                      : load_weights(folder, model);
}

void save_bert_files(const fs::path& folder, const DescriptionFiles& files, ParameterModel& model,
                     WeightStorage storage) {
  for (const auto& [name, text] : files) write_file_atomically(folder / name, text);
  save_weights(folder, parameters_of(model), storage, ModelSeal(files));
}

}  // namespace heed
