// A trained model as a folder: config.json, model.safetensors, source.spm, target.spm and
// vocab.json, laid out like a MarianMT folder. A language model has one vocabulary, which is both,
// in tokenizer.model.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "heed/data/shortlist.h"
#include "heed/data/source_tags.h"
#include "heed/data/vocabulary.h"
#include "heed/folders/config_json.h"
#include "heed/folders/stored_weights.h"

namespace heed {

// Codes of the languages, such as "en"; empty where they are not known.
struct Languages {
  std::string source, target;

  bool operator==(const Languages&) const = default;
};

struct ModelFolder {
  ModelConfig config;
  std::unique_ptr<Model> model;
  Vocabulary source;
  Vocabulary target;
  WeightStorage storage = WeightStorage::float32;
  TrainedLengths lengths = {};
  Languages languages = {};
  ModelNotes notes = {};
  std::optional<Shortlist> shortlist = {};  // see shortlist_file.h
};

// What may stand in front of its sources; nothing for a language model.
SourceTags tags_of(const ModelFolder& folder);

// Everything but the weights.
struct ModelDescription {
  ModelConfig config;
  Vocabulary source;
  Vocabulary target;
  TrainedLengths lengths = {};
  ModelNotes notes = {};
};

ModelConfig load_model_config(const std::filesystem::path& file);
TrainedLengths load_trained_lengths(const std::filesystem::path& file);
ModelNotes load_model_notes(const std::filesystem::path& file);

// An Error names the file that is missing, damaged or does not fit the others, or the setting that
// differs from the one the weights were saved with.
ModelDescription load_model_description(const std::filesystem::path& folder,
                                        Changes changes = Changes::refuse);

// The same. Weights that are not finite are refused. Also reads models of other tools, which are
// told apart by what is in them: see argos_package.h, ctranslate2_folder.h, huggingface_llama.h,
// huggingface_marian.h and marian_folder.h.
ModelFolder load_model_folder(const std::filesystem::path& folder,
                              Changes changes = Changes::refuse);

// An Error unless this looks like a model of heed, of CTranslate2, of Hugging Face, of Marian or of
// Argos Translate.
void check_any_model(const std::filesystem::path& path);

// Whether its files are those of another tool. heed reads such a model and writes nothing into it.
bool is_model_of_another_tool(const std::filesystem::path& folder);

// The languages that a folder's tokenizer_config.json names, as MarianMT's do.
Languages load_languages(const std::filesystem::path& folder);

// The parts that do not change while a model is trained.
void save_model_description(const std::filesystem::path& folder, const ModelConfig& config,
                            const Vocabulary& source, const Vocabulary& target,
                            const TrainedLengths& lengths = {}, const ModelNotes& notes = {});
// The seal for weights that are saved with these settings and vocabularies.
ModelSeal seal_of(const ModelConfig& config, const Vocabulary& source, const Vocabulary& target,
                  const TrainedLengths& lengths = {}, const ModelNotes& notes = {});

// Writes the weights last: without them, a folder is not a model.
void save_model_folder(const std::filesystem::path& folder, const ModelFolder& model);

}  // namespace heed
