#include "heed/runs/presets.h"

#include <algorithm>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/field_text.h"
#include "heed/models/config_fields.h"
#include "heed/runs/apply_settings.h"

namespace heed {

namespace {

TransformerConfig transformer(int64_t layers, int64_t width, int64_t ffn, int64_t heads,
                              double dropout) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = layers;
  config.width = width;
  config.ffn = ffn;
  config.heads = heads;
  config.dropout = config.embedding_dropout = dropout;
  return config;
}

// On little text, a post-norm decoder learns late to attend to the source.
TransformerConfig tiny_transformer() {
  TransformerConfig config = transformer(4, 128, 256, 4, 0.3);
  config.norm = NormPlacement::pre;
  return config;
}

LearnerConfig learning(double learning_rate, int64_t warm_up) {
  LearnerConfig config;
  config.schedule.learning_rate = learning_rate;
  config.schedule.warm_up = warm_up;
  config.ema = 0.999;
  return config;
}

LanguageModelConfig language_model(int64_t layers, int64_t width, int64_t ffn, int64_t heads,
                                   double dropout) {
  LanguageModelConfig config;
  config.layers = layers;
  config.width = width;
  config.ffn = ffn;
  config.heads = heads;
  config.dropout = config.embedding_dropout = dropout;
  return config;
}

// Every token is to be predicted as it is, so nothing is smoothed.
LearnerConfig language_learning(double learning_rate, int64_t warm_up) {
  LearnerConfig config = learning(learning_rate, warm_up);
  config.label_smoothing = 0;
  config.weight_decay = 0.1;
  return config;
}

Preset language_preset(std::string_view name) {
  if (name == "tiny") return {language_model(4, 128, 384, 4, 0.1), language_learning(4e-3, 200)};
  if (name == "small")
    return {language_model(6, 384, 1024, 6, 0.1), language_learning(1.5e-3, 1000)};
  if (name == "base")
    return {language_model(12, 768, 2048, 12, 0.0), language_learning(6e-4, 2000)};
  fail("train: the preset is \"{}\" but a language model has tiny, small and base", name);
}

RnnConfig recurrent() {
  RnnConfig config;
  config.dropout = config.embedding_dropout = 0.3;
  config.tied = TiedEmbeddings::all;
  return config;
}

// Learned positions must cover the longest training sentence. Unless a length was asked for, they
// do.
void fit_context(TransformerConfig& config, const TrainingSettings& settings) {
  if (!settings.model.contains("context-length"))
    config.context_length = std::max(config.context_length, settings.max_length);
  require(config.positions != PositionKind::learned || config.context_length >= settings.max_length,
          "--context-length: {} tokens, but training sentences may have up to {} (--max-length)",
          config.context_length, settings.max_length);
}

// The vocabulary sizes are not known yet; any will do.
void check_preset(const TrainingSettings& settings, const CorpusSize& size) {
  Preset preset = chosen_preset(settings, size);
  set_vocabularies(preset.model, 8, 8);
  std::visit([](const auto& config) { check(config); }, preset.model);
  check(preset.learner);
}

}  // namespace

bool has_two_vocabularies(const TrainingSettings& settings) {
  const std::vector<std::string>& files = settings.vocabulary_files;
  return files.empty() ? settings.separate : files.front() != files.back();
}

CorpusSize size_of(const CorpusStore& corpus) { return {corpus.pairs(), corpus.bytes()}; }

// Corpora of these sizes get different presets, unless one was asked for.
void check_presets(const TrainingSettings& settings) {
  constexpr int64_t few = 0, some = 1'000'000, many = int64_t{1} << 40;
  std::optional<Error> first_error;
  for (const CorpusSize& size : {CorpusSize{few, few}, {some, 100 * some}, {many, many}}) try {
      return check_preset(settings, size);
    } catch (const Error& error) {
      if (!first_error) first_error = error;
    }
  throw Error(*first_error);
}

Preset preset_of(std::string_view name, Task task) {
  if (task == Task::language) return language_preset(name);
  if (name == "tiny") return {tiny_transformer(), learning(2e-3, 800)};
  if (name == "small") return {transformer(6, 256, 1024, 4, 0.1), learning(1.5e-3, 2000)};
  if (name == "base") return {transformer(6, 512, 2048, 8, 0.1), learning(7e-4, 4000)};
  if (name == "rnn") return {recurrent(), learning(2e-3, 500)};
  fail("train: the preset is \"{}\" but tiny, small, base or rnn was expected", name);
}

std::string_view preset_for(const CorpusSize& size, Task task) {
  if (task == Task::language)
    return size.bytes < (20 << 20) ? "tiny" : size.bytes < (1 << 30) ? "small" : "base";
  return size.entries < 200'000 ? "tiny" : size.entries < 2'000'000 ? "small" : "base";
}

namespace {

void tie_decoder(ModelConfig& model) {
  if (auto* transformer = std::get_if<TransformerConfig>(&model))
    transformer->tied = TiedEmbeddings::decoder;
  if (auto* rnn = std::get_if<RnnConfig>(&model)) rnn->tied = TiedEmbeddings::decoder;
}

}  // namespace

Preset chosen_preset(const TrainingSettings& settings, const CorpusSize& size) {
  Preset preset = preset_of(
      settings.preset.empty() ? preset_for(size, settings.task) : settings.preset, settings.task);
  // Two vocabularies cannot share one embedding table.
  if (has_two_vocabularies(settings)) tie_decoder(preset.model);
  std::visit(
      [&](auto& config) {
        apply_settings(settings.model, config, fmt::format("the model {}", name_of(preset.model)));
      },
      preset.model);
  if (auto* config = std::get_if<TransformerConfig>(&preset.model)) fit_context(*config, settings);
  if (auto* config = std::get_if<LanguageModelConfig>(&preset.model))
    require(settings.batch_tokens >= config->context_length,
            "--batch: {} tokens, but a window has {} (--context-length)", settings.batch_tokens,
            config->context_length);
  apply_settings(settings.learning, preset.learner, "training");
  preset.learner.seed = settings.seed;
  if (preset.learner.schedule.steps == 0) preset.learner.schedule.steps = settings.trainer.steps;
  return preset;
}

}  // namespace heed
