#include "heed/runs/encoder_presets.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/data/word_piece_training.h"
#include "heed/folders/bert_config_json.h"
#include "heed/folders/bert_files.h"
#include "heed/folders/bert_folder.h"
#include "heed/models/classifier_fields.h"
#include "heed/runs/apply_settings.h"

namespace heed {

namespace {

BertConfig encoder(int64_t layers, int64_t width, int64_t ffn, int64_t heads, double dropout) {
  BertConfig config;
  config.layers = layers;
  config.width = width;
  config.ffn = ffn;
  config.heads = heads;
  config.context_length = 256;
  config.dropout = dropout;
  return config;
}

LearnerConfig learning(double learning_rate, int64_t warm_up) {
  LearnerConfig config;
  config.schedule.learning_rate = learning_rate;
  config.schedule.warm_up = warm_up;
  config.weight_decay = 0.01;
  config.ema = 0.999;
  return config;
}

// Labelled texts are few, so much is dropped.
EncoderPreset classifier_preset(std::string_view name) {
  if (name == "tiny") return {{.encoder = encoder(2, 128, 256, 4, 0.3)}, learning(1e-3, 200)};
  if (name == "small") return {{.encoder = encoder(4, 256, 1024, 4, 0.2)}, learning(7e-4, 1000)};
  return {{.encoder = encoder(6, 512, 2048, 8, 0.1)}, learning(4e-4, 2000)};
}

EncoderPreset masked_preset(std::string_view name) {
  if (name == "tiny") return {{.encoder = encoder(4, 128, 512, 4, 0.1)}, learning(2e-3, 500)};
  if (name == "small") return {{.encoder = encoder(6, 256, 1024, 4, 0.1)}, learning(1e-3, 2000)};
  return {{.encoder = encoder(12, 512, 2048, 8, 0.1)}, learning(5e-4, 4000)};
}

std::string_view name_for(const CorpusSize& size, Task task) {
  if (task == Task::classify)
    return size.entries < 100'000 ? "tiny" : size.entries < 2'000'000 ? "small" : "base";
  return size.bytes < (20 << 20) ? "tiny" : size.bytes < (1 << 30) ? "small" : "base";
}

EncoderPreset preset_named(std::string_view name, Task task) {
  require(name == "tiny" || name == "small" || name == "base",
          "train: the preset is \"{}\" but an encoder has tiny, small and base", name);
  EncoderPreset preset = task == Task::classify ? classifier_preset(name) : masked_preset(name);
  preset.learner.label_smoothing = task == Task::classify ? 0.1 : 0;
  return preset;
}

// The weights know much already, so they are changed little.
EncoderPreset pretrained_preset(const TrainingSettings& settings) {
  EncoderPreset preset = {{}, learning(1e-4, 50)};
  const std::string file =
      (std::filesystem::path(settings.pretrained) / bert_files::config).string();
  preset.model.encoder = parse_bert_config(MappedFile(file).text(), file);
  preset.learner.label_smoothing = settings.task == Task::classify ? 0.1 : 0;
  return preset;
}

void require_same_sizes(const BertConfig& pretrained, const BertConfig& wanted) {
  BertConfig same = wanted;
  same.dropout = pretrained.dropout;
  same.attention_dropout = pretrained.attention_dropout;
  visit_fields(pretrained, [&](const auto& field, const auto& value) {
    visit_fields(same, [&](const auto& other, const auto& found) {
      if (std::string_view(other.name) != field.name) return;
      require(text_of_field(value) == text_of_field(found),
              "--{} is {} but the pretrained encoder has {}", field.name, text_of_field(found),
              text_of_field(value));
    });
  });
}

}  // namespace

EncoderPreset chosen_encoder(const TrainingSettings& settings, const CorpusSize& size) {
  EncoderPreset preset =
      settings.pretrained.empty()
          ? preset_named(settings.preset.empty() ? name_for(size, settings.task) : settings.preset,
                         settings.task)
          : pretrained_preset(settings);
  const BertConfig before = preset.model.encoder;
  if (settings.task == Task::classify)
    apply_settings(settings.model, preset.model, "a classifier");
  else
    apply_settings(settings.model, preset.model.encoder, "a masked model");
  if (!settings.pretrained.empty()) require_same_sizes(before, preset.model.encoder);
  require(settings.batch_tokens >= std::min(settings.max_length, before.context_length),
          "--batch: {} tokens, but texts may have up to {} (--max-length)", settings.batch_tokens,
          settings.max_length);
  apply_settings(settings.learning, preset.learner, "training");
  preset.learner.seed = settings.seed;
  if (preset.learner.schedule.steps == 0) preset.learner.schedule.steps = settings.trainer.steps;
  return preset;
}

void check_encoder_settings(const TrainingSettings& settings) {
  TrainingSettings fresh = settings;  // a pretrained model is not read yet
  fresh.pretrained.clear();
  EncoderPreset preset = chosen_encoder(fresh, {});
  preset.model.encoder.vocabulary = 8;
  preset.model.labels = 2;
  check(preset.model);
  check(preset.learner);
  const char* what = settings.task == Task::classify ? "classifiers" : "masked models";
  require(settings.pretrained.empty() || settings.preset.empty(),
          "--preset: the sizes are those of the pretrained model");
  require(settings.vocabulary.kind == VocabularyConfig().kind,
          "--vocabulary-kind: {} have word pieces", what);
  require(settings.vocabulary_files.size() <= 1 &&
              (settings.vocabulary_files.empty() || settings.pretrained.empty()),
          "--vocabulary-files: {} have one tokenizer.json, and that of a pretrained model is its "
          "own",
          what);
  require(!settings.separate, "--separate-vocabularies: {} have one vocabulary", what);
  require(settings.watch.empty() && settings.watch_file.empty(),
          "--watch: only translations can be watched");
}

void check_pretrained(const TrainingSettings& settings) {
  if (settings.pretrained.empty()) return;
  load_bert_folder(settings.pretrained);
  chosen_encoder(settings, {});
}

WordPieces encoder_pieces(const TrainingSettings& settings, const SentenceSource& sentences,
                          const std::function<void(const std::string&)>& announce) {
  if (!settings.pretrained.empty()) return load_bert_folder(settings.pretrained).pieces;
  if (!settings.vocabulary_files.empty()) return WordPieces::load(settings.vocabulary_files[0]);
  announce("learning the word pieces");
  return train_word_pieces({.size = settings.vocabulary.size,
                            .lowercase = !settings.cased,
                            .most_words = settings.vocabulary.most_words,
                            .seed = settings.seed},
                           sentences);
}

void load_pretrained(const TrainingSettings& settings, Bert& encoder) {
  if (settings.pretrained.empty()) return;
  const BertFolder folder = load_bert_folder(settings.pretrained);
  std::vector<Parameter> weights = parameters_of(*folder.model);
  size_t next = 0;
  encoder.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    const Parameter& weight = weights.at(next++);
    require(weight.name == name && weight.value.shape() == value.shape(),
            "{}: array \"{}\" has shape {} but {} was expected", settings.pretrained, name,
            weight.value.shape(), value.shape());
    value = weight.value.clone();
  });
}

}  // namespace heed
