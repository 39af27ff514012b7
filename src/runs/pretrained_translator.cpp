#include "heed/runs/pretrained_translator.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/field_text.h"
#include "heed/base/folder.h"
#include "heed/base/text.h"
#include "heed/data/source_tags.h"
#include "heed/models/config_fields.h"
#include "heed/runs/apply_settings.h"
#include "heed/runs/guided_head.h"
#include "heed/training/frozen_model.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr double usual_dropout = 0.1;

// Other tools do not save the dropout of training. Without any, little text is soon known by heart.
template <typename Config>
void add_dropout(Config& config) {
  if (config.dropout > 0 || config.embedding_dropout > 0) return;
  config.dropout = config.embedding_dropout = usual_dropout;
}

template <typename Config>
void require_same_architecture(const Config& pretrained, const Config& wanted) {
  visit_fields(pretrained, [&](const auto& field, const auto& value) {
    const std::string_view name = field.name;
    if (name.ends_with("dropout")) return;
    const std::string expected = text_of_field(value),
                      found = text_of_field(wanted.*(field.member));
    require(expected == found, ErrorKind::usage, "--{} is {} but the pretrained model has {}", name,
            found, expected);
  });
}

bool same_weights(const ModelFolder& one, const ModelFolder& other) {
  return std::ranges::equal(parameters_of(*one.model), parameters_of(*other.model),
                            [](const Parameter& a, const Parameter& b) {
                              return std::ranges::equal(a.value.span<float>(),
                                                        b.value.span<float>());
                            });
}

// What the folder says, with tags that are to be learned, too. An Error if its vocabulary cannot
// write them.
ModelNotes notes_with_tags(const ModelFolder& start, const std::set<std::string>& tags,
                           const TrainingSettings& settings) {
  ModelNotes notes = start.notes;
  std::set<std::string> all(notes.tags.begin(), notes.tags.end());
  all.insert(tags.begin(), tags.end());
  notes.tags.assign(all.begin(), all.end());
  const std::vector<std::string> known = SourceTags(start.source, start.notes.tags).names();
  for (const std::string& tag : tags)
    require(settings.adapter == 0 || std::ranges::count(known, tag) > 0, ErrorKind::usage,
            "--tags: an adapter cannot add {} to the tags of its model", Quoted{tag});
  SourceTags(start.source, notes.tags);
  return notes;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

ModelFolder read_pretrained(const TrainingSettings& settings) {
  ModelFolder folder = load_model_folder(settings.pretrained);
  require(!std::holds_alternative<LanguageModelConfig>(folder.config), ErrorKind::usage,
          "{}: is a language model, but a translator was expected", settings.pretrained);
  // Errors if they do not fit.
  adapted_config(folder.config, settings);
  if (!settings.guide.empty()) guide_of(settings, folder.config, folder.notes.search);
  if (!settings.freeze.empty()) FrozenModel(*folder.model, settings.freeze);
  if (settings.adapter > 0)
    AdaptedModel(*make_model(folder.config, Initialiser::unset()), adapter_config(settings),
                 settings.seed);
  folder.storage = WeightStorage::float32;
  return folder;
}

ModelConfig adapted_config(const ModelConfig& pretrained, const TrainingSettings& settings) {
  ModelConfig adapted = pretrained;
  std::visit(
      [&](auto& config) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(config)>, LanguageModelConfig>) {
          add_dropout(config);
          const auto before = config;
          apply_settings(settings.model, config,
                         fmt::format("the pretrained model, a {}", name_of(pretrained)));
          require_same_architecture(before, config);
        }
      },
      adapted);
  check(adapted);
  return adapted;
}

LearnerConfig adapting_learner(const TrainingSettings& settings) {
  LearnerConfig config;
  // Adapters begin with nothing, and they are few.
  config.schedule.learning_rate = settings.adapter > 0 ? 2e-3 : 2e-4;
  config.schedule.warm_up = 50;
  config.ema = 0.999;
  apply_settings(settings.learning, config, "training");
  config.seed = settings.seed;
  if (config.schedule.steps == 0) config.schedule.steps = settings.trainer.steps;
  return config;
}

AdapterConfig adapter_config(const TrainingSettings& settings) {
  return {.rank = settings.adapter, .alpha = 2.0 * static_cast<double>(settings.adapter)};
}

fs::path pretrained_copy(const TrainingSettings& settings) {
  return settings.folder / "training" / "pretrained";
}

void describe_adapted(const TrainingSettings& settings, const std::set<std::string>& tags) {
  const ModelFolder start = read_pretrained(settings);
  const ModelNotes notes = notes_with_tags(start, tags, settings);
  const fs::path copy = pretrained_copy(settings);
  fs::create_directories(copy);
  save_model_folder(copy, start);
  // What comes with a model besides its settings and its weights, such as languages, stays with it.
  for (const fs::path& file : entries_of(copy)) {
    const std::string name = file.filename().string();
    if (name != "model.safetensors" && name != "config.json")
      fs::copy_file(file, settings.folder / name, fs::copy_options::overwrite_existing);
  }
  save_model_description(settings.folder, adapted_config(start.config, settings), start.source,
                         start.target, start.lengths, notes);
}

std::unique_ptr<Model> adapted_model(const TrainingSettings& settings, const ModelConfig& config) {
  std::unique_ptr<Model> model = make_model(config, Initialiser::unset());
  load_weights(pretrained_copy(settings), *model);
  return model;
}

bool needs_pretrained(const TrainingSettings& settings) {
  return is_there(settings.pretrained) || !is_there(settings.folder / "config.json");
}

bool differs_from_copy(const TrainingSettings& settings) {
  if (!is_there(settings.pretrained) || !is_there(pretrained_copy(settings) / "model.safetensors"))
    return false;
  const ModelFolder now = load_model_folder(settings.pretrained),
                    then = load_model_folder(pretrained_copy(settings));
  return now.config != then.config || now.source.bytes() != then.source.bytes() ||
         now.target.bytes() != then.target.bytes() || !same_weights(now, then);
}

void refuse_flags_of_new_models(const TrainingSettings& settings) {
  const VocabularyConfig usual;
  const auto refuse = [](bool given, const char* flag, const char* what) {
    require(!given, "--{}: {} that of the pretrained model", flag, what);
  };
  refuse(!settings.preset.empty(), "preset", "the size is");
  refuse(!settings.vocabulary_files.empty(), "vocabulary-files", "the vocabulary is");
  refuse(settings.separate, "separate-vocabularies", "the vocabulary is");
  visit_fields(usual, [&](const auto& field, const auto& value) {
    if (field.name == std::string_view("tokenised")) return;  // it also says how BLEU is computed
    refuse(value != settings.vocabulary.*(field.member), field.name, "the vocabulary is");
  });
  check(adapting_learner(settings));
}

}  // namespace heed
