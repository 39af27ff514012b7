#include "heed/folders/model_folder.h"

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/folders/alignment_choice.h"
#include "heed/folders/argos_package.h"
#include "heed/folders/bert_folder.h"
#include "heed/folders/ctranslate2_folder.h"
#include "heed/folders/huggingface_llama.h"
#include "heed/folders/huggingface_marian.h"
#include "heed/folders/huggingface_settings.h"
#include "heed/folders/marian_folder.h"
#include "heed/folders/shortlist_file.h"

namespace heed {

namespace {

constexpr const char* vocabulary_name = "tokenizer.model";  // of a language model
constexpr const char* languages_name = "tokenizer_config.json";

std::string vocabulary_json(const Vocabulary& vocabulary) {
  OrderedJsonValue ids = OrderedJsonValue::object();
  for (int32_t id = 0; id < vocabulary.size(); ++id) ids[vocabulary.piece(id)] = id;
  return ids.dump(1) + "\n";
}

// Written last: it makes the description complete.
DescriptionFiles description_files(const ModelConfig& config, const Vocabulary& source,
                                   const Vocabulary& target, const TrainedLengths& lengths,
                                   const ModelNotes& notes) {
  if (std::holds_alternative<LanguageModelConfig>(config))
    return {{vocabulary_name, target.bytes()}, {"config.json", to_json(config, lengths, notes)}};
  DescriptionFiles files = {{"source.spm", source.bytes()},
                            {"target.spm", target.bytes()},
                            {"vocab.json", vocabulary_json(source)}};
  if (source.bytes() != target.bytes())
    files.emplace_back("target_vocab.json", vocabulary_json(target));
  files.emplace_back("config.json", to_json(config, lengths, notes));
  return files;
}

void save_languages(const std::filesystem::path& folder, const Languages& languages) {
  if (languages == Languages()) return;
  OrderedJsonValue json = OrderedJsonValue::object();
  if (!languages.source.empty()) json["source_lang"] = languages.source;
  if (!languages.target.empty()) json["target_lang"] = languages.target;
  write_file_atomically(folder / languages_name, json.dump(2) + "\n");
}

void check_vocabulary(const std::filesystem::path& path, const Vocabulary& vocabulary,
                      int64_t expected) {
  require(vocabulary.size() == expected,
          "{}: {} entries including padding, but config.json says {}", path.string(),
          vocabulary.size(), expected);
}

// Most models have one vocabulary for both sides.
Vocabulary load_unless_equal(const std::filesystem::path& path, const Vocabulary& other) {
  return MappedFile(path).text() == other.bytes() ? other : Vocabulary::load(path);
}

// Checked before memory is allocated for a model of unchecked sizes.
void check_size(const std::filesystem::path& weights, const ModelConfig& config) {
  constexpr double smallest_weight = 1;  // bytes
  const double bytes = static_cast<double>(MappedFile(weights).bytes().size());
  require(fewest_weights(config) * smallest_weight <= bytes,
          "{}: {} bytes are too few for the model that config.json describes", weights.string(),
          bytes);
}

void check_is_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_type type = fs::status(folder, error).type();
  require(type != fs::file_type::none && type != fs::file_type::unknown, ErrorKind::system,
          "{}: cannot be read: {}", folder.string(), error.message());
  require(type != fs::file_type::not_found, ErrorKind::system, "{}: there is no such folder",
          folder.string());
  require(type == fs::file_type::directory, "{}: is a file, but a folder was expected",
          folder.string());
}

// Whether there is a file of this name, or something that cannot be looked at, which reading it
// will say.
bool has(const std::filesystem::path& folder, const char* name) {
  std::error_code error;
  return std::filesystem::status(folder / name, error).type() !=
         std::filesystem::file_type::not_found;
}

// One file says that there is meant to be a model. Which others are missing is found out later.
void check_has_model(const std::filesystem::path& folder) {
  require(
      has(folder, "model.bin") || has(folder, "config.json") || has(folder, "model.safetensors"),
      "{}: has neither model.bin nor config.json nor model.npz, so it is not a model folder of "
      "CTranslate2, Hugging Face, heed or Marian",
      folder.string());
}

// Before a file is missed in it.
void check_is_ours(const std::filesystem::path& folder) {
  check_is_folder(folder);
  if (!has(folder, "model.safetensors")) {
    require(!has(folder, "adapter.safetensors"),
            "{}: holds an adapter; --model BASE --adapter {} uses it with its model",
            folder.string(), (folder / "adapter.safetensors").string());
    require(!has(folder, "training"),
            "{}: has no model yet; `heed train` writes it at its first validation",
            folder.string());
  }
  check_has_model(folder);
  require(!is_bert_folder(folder),
          "{}: is an encoder alone (BERT), which turns texts into vectors and generates nothing",
          folder.string());
}

}  // namespace

bool is_model_of_another_tool(const std::filesystem::path& folder) {
  return is_marian_model(folder) || is_argos_package(folder) || is_ctranslate2_folder(folder) ||
         is_marian_mt_folder(folder) || is_huggingface_folder(folder);
}

Languages load_languages(const std::filesystem::path& folder) {
  const auto settings = HuggingFaceSettings::if_there(folder / languages_name);
  return {settings.text("source_lang", ""), settings.text("target_lang", "")};
}

void save_model_description(const std::filesystem::path& folder, const ModelConfig& config,
                            const Vocabulary& source, const Vocabulary& target,
                            const TrainedLengths& lengths, const ModelNotes& notes) {
  for (const auto& [name, text] : description_files(config, source, target, lengths, notes))
    write_file_atomically(folder / name, text);
}

ModelSeal seal_of(const ModelConfig& config, const Vocabulary& source, const Vocabulary& target,
                  const TrainedLengths& lengths, const ModelNotes& notes) {
  return ModelSeal(description_files(config, source, target, lengths, notes));
}

void save_model_folder(const std::filesystem::path& folder, const ModelFolder& model) {
  save_languages(folder, model.languages);
  save_model_description(folder, model.config, model.source, model.target, model.lengths,
                         model.notes);
  if (model.shortlist) save_shortlist(folder, *model.shortlist);
  save_weights(folder, parameters_of(*model.model), model.storage,
               seal_of(model.config, model.source, model.target, model.lengths, model.notes));
}

ModelConfig load_model_config(const std::filesystem::path& file) {
  return parse_model_config(MappedFile(file).text(), file.string());
}

TrainedLengths load_trained_lengths(const std::filesystem::path& file) {
  return parse_trained_lengths(MappedFile(file).text(), file.string());
}

SourceTags tags_of(const ModelFolder& folder) {
  if (std::holds_alternative<LanguageModelConfig>(folder.config)) return {};
  return {folder.source, folder.notes.tags};
}

ModelNotes load_model_notes(const std::filesystem::path& file) {
  return parse_model_notes(MappedFile(file).text(), file.string());
}

namespace {

ModelDescription read_description(const std::filesystem::path& folder, Changes changes) {
  if (changes == Changes::refuse) load_seal(folder).check(folder);
  const ModelConfig config = load_model_config(folder / "config.json");
  if (std::holds_alternative<LanguageModelConfig>(config)) {
    const Vocabulary vocabulary = Vocabulary::load(folder / vocabulary_name);
    check_vocabulary(folder / vocabulary_name, vocabulary, target_vocabulary(config));
    return {config, vocabulary, vocabulary, load_trained_lengths(folder / "config.json"),
            load_model_notes(folder / "config.json")};
  }
  const Vocabulary source = Vocabulary::load(folder / "source.spm");
  const Vocabulary target = load_unless_equal(folder / "target.spm", source);
  check_vocabulary(folder / "source.spm", source, source_vocabulary(config));
  check_vocabulary(folder / "target.spm", target, target_vocabulary(config));
  return {config, source, target, load_trained_lengths(folder / "config.json"),
          load_model_notes(folder / "config.json")};
}

ModelFolder read_folder(const std::filesystem::path& folder, Changes changes) {
  if (is_marian_model(folder)) return read_marian_model(folder);
  if (is_argos_package(folder)) return read_argos_package(folder);
  if (is_ctranslate2_folder(folder)) return read_ctranslate2_folder(folder);
  check_is_ours(folder);
  if (is_marian_mt_folder(folder)) return read_marian_mt_folder(folder);
  if (is_huggingface_folder(folder)) return read_llama_folder(folder);
  const ModelDescription found = read_description(folder, changes);
  check_size(folder / "model.safetensors", found.config);
  std::unique_ptr<Model> model = make_model(found.config, Initialiser::unset());
  const WeightStorage storage = load_weights(folder, *model);
  return {.config = found.config,
          .model = std::move(model),
          .source = found.source,
          .target = found.target,
          .storage = storage,
          .lengths = found.lengths,
          .languages = load_languages(folder),
          .notes = found.notes,
          .shortlist = load_shortlist(folder, found.source.size(), found.target.size())};
}

}  // namespace

void check_any_model(const std::filesystem::path& path) {
  if (is_marian_model(path) || is_argos_package(path)) return;
  check_is_folder(path);
  check_has_model(path);
}

ModelDescription load_model_description(const std::filesystem::path& folder, Changes changes) {
  return with_error_kind(ErrorKind::model, [&] { return read_description(folder, changes); });
}

ModelFolder load_model_folder(const std::filesystem::path& folder, Changes changes) {
  return with_error_kind(ErrorKind::model, [&] {
    ModelFolder loaded = read_folder(folder, changes);
    // What the user has found out about the model's heads goes before what it says of itself.
    if (const auto choice = load_alignment_choice(folder)) {
      loaded.notes.search.alignment_layer = choice->layer;
      loaded.notes.search.alignment_head = choice->head;
    }
    return loaded;
  });
}

}  // namespace heed
