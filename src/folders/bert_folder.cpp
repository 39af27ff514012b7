#include "heed/folders/bert_folder.h"

#include <algorithm>
#include <array>
#include <set>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/folders/bert_config_json.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr const char* config_name = "config.json";
constexpr const char* tokenizer_name = "tokenizer.json";
constexpr const char* weights_name = "model.safetensors";

DescriptionFiles description_files(const BertFolder& folder) {
  return {{tokenizer_name, folder.pieces.json()}, {config_name, to_json(folder.config)}};
}

// Where the arrays of the encoder are in a model that has a head for some task.
std::string prefix_in(const TensorFile& file) {
  constexpr const char* first = "embeddings.word_embeddings.weight";
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

// What is not needed to encode: counters, and what follows the encoder for one task or another.
bool is_left_out(std::string_view name) {
  const auto starts = [&](std::string_view part) { return name.starts_with(part); };
  return name == "embeddings.position_ids" || name == "bert.embeddings.position_ids" ||
         starts("pooler.") || starts("bert.pooler.") || starts("cls.");
}

WeightStorage read_weights(const fs::path& path, Bert& model) {
  const TensorFile file = TensorFile::open(path);
  const std::string prefix = prefix_in(file);
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

// Checked before memory is allocated for a model of unchecked sizes.
void check_size(const fs::path& weights, const BertConfig& config) {
  const auto bytes = static_cast<double>(MappedFile(weights).bytes().size());
  require(fewest_weights(config) <= bytes,
          "{}: {} bytes are too few for the model that config.json describes", weights.string(),
          bytes);
}

void check_pieces(const fs::path& folder, const BertConfig& config, const WordPieces& pieces) {
  require(pieces.size() <= config.vocabulary, "{}: {} pieces, but config.json says {}",
          (folder / tokenizer_name).string(), pieces.size(), config.vocabulary);
  const auto frame = static_cast<int64_t>(pieces.encode("").size());
  require(frame < config.context_length,
          "{}: every text has {} tokens more, but the model reads at most {}",
          (folder / tokenizer_name).string(), frame, config.context_length);
}

BertFolder read_folder(const fs::path& folder, Changes changes) {
  const ModelSeal seal = load_seal(folder);
  if (changes == Changes::refuse) seal.check(folder);
  const fs::path file = folder / config_name;
  const BertConfig config = parse_bert_config(MappedFile(file).text(), file.string());
  WordPieces pieces = WordPieces::load(folder / tokenizer_name);
  check_pieces(folder, config, pieces);
  check_size(folder / weights_name, config);
  auto model = std::make_unique<Bert>(config, Initialiser::unset());
  const WeightStorage storage =
      seal.empty() ? read_weights(folder / weights_name, *model) : load_weights(folder, *model);
  return {config, std::move(model), std::move(pieces), storage};
}

}  // namespace

bool is_bert_folder(const fs::path& folder) {
  std::error_code none;
  const fs::path config = folder / config_name;
  return fs::is_regular_file(config, none) && describes_bert(MappedFile(config).text());
}

BertFolder load_bert_folder(const fs::path& folder, Changes changes) {
  return with_error_kind(ErrorKind::model, [&] { return read_folder(folder, changes); });
}

void save_bert_folder(const fs::path& folder, const BertFolder& model) {
  const DescriptionFiles files = description_files(model);
  for (const auto& [name, text] : files) write_file_atomically(folder / name, text);
  save_weights(folder, parameters_of(*model.model), model.storage, ModelSeal(files));
}

}  // namespace heed
