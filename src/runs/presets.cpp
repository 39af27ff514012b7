#include "heed/runs/presets.h"

#include <algorithm>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/field_text.h"
#include "heed/models/config_fields.h"

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

RnnConfig recurrent() {
  RnnConfig config;
  config.dropout = config.embedding_dropout = 0.3;
  config.tied = TiedEmbeddings::all;
  return config;
}

// Applies the given settings that the configuration has. What is left does not belong to it.
template <typename Config>
void apply(std::map<std::string, std::string> given, Config& config, std::string_view what) {
  visit_fields(config, [&](const auto& field, auto& value) {
    const auto found = given.find(field.name);
    if (found == given.end()) return;
    set_field(field.name, found->second, value);
    given.erase(found);
  });
  require(given.empty(), "--{} is not a setting of {}", given.empty() ? "" : given.begin()->first,
          what);
}

bool has_two_vocabularies(const TrainingSettings& settings) {
  const std::vector<std::string>& files = settings.vocabulary_files;
  return files.empty() ? settings.separate : files.front() != files.back();
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
void check_preset(const TrainingSettings& settings, int64_t pairs) {
  Preset preset = chosen_preset(settings, pairs);
  set_vocabularies(preset.model, 8, 8);
  std::visit([](const auto& config) { check(config); }, preset.model);
  check(preset.learner);
}

// Corpora of these sizes get different presets, unless one was asked for.
void check_presets(const TrainingSettings& settings) {
  constexpr int64_t few = 0, some = 1'000'000, many = int64_t{1} << 40;
  std::optional<Error> first_error;
  for (const int64_t pairs : {few, some, many}) try {
      return check_preset(settings, pairs);
    } catch (const Error& error) {
      if (!first_error) first_error = error;
    }
  throw Error(*first_error);
}

}  // namespace

void refuse_impossible_settings(const TrainingSettings& settings) {
  check_bounds(settings);
  check_presets(settings);
  const auto tied = settings.model.find("tied-embeddings");
  require(!has_two_vocabularies(settings) || tied == settings.model.end() || tied->second != "all",
          "--tied-embeddings: all needs a joint vocabulary, but there are two");
  const int size = settings.vocabulary.size;
  require(size == 0 || size >= smallest_vocabulary,
          "--vocabulary: {} but 0 or at least {} was expected", size, smallest_vocabulary);
  require(settings.batch_tokens >= settings.max_length,
          "--batch: {} tokens, but sentences may have up to {} (--max-length)",
          settings.batch_tokens, settings.max_length);
  require(!higher_is_better(settings.trainer.criterion) || settings.valid_lines > 0,
          "--criterion: {} needs translations, but --valid-lines is 0",
          name_of(settings.trainer.criterion));
}

Preset preset_of(std::string_view name) {
  if (name == "tiny") return {tiny_transformer(), learning(2e-3, 800)};
  if (name == "small") return {transformer(6, 256, 1024, 4, 0.1), learning(1.5e-3, 2000)};
  if (name == "base") return {transformer(6, 512, 2048, 8, 0.1), learning(7e-4, 4000)};
  if (name == "rnn") return {recurrent(), learning(2e-3, 500)};
  fail("train: the preset is \"{}\" but tiny, small, base or rnn was expected", name);
}

std::string_view preset_for(int64_t pairs) {
  return pairs < 200'000 ? "tiny" : pairs < 2'000'000 ? "small" : "base";
}

namespace {

void tie_decoder(ModelConfig& model) {
  if (auto* transformer = std::get_if<TransformerConfig>(&model))
    transformer->tied = TiedEmbeddings::decoder;
  if (auto* rnn = std::get_if<RnnConfig>(&model)) rnn->tied = TiedEmbeddings::decoder;
}

}  // namespace

Preset chosen_preset(const TrainingSettings& settings, int64_t pairs) {
  Preset preset = preset_of(settings.preset.empty() ? preset_for(pairs) : settings.preset);
  // Two vocabularies cannot share one embedding table.
  if (has_two_vocabularies(settings)) tie_decoder(preset.model);
  std::visit(
      [&](auto& config) {
        apply(settings.model, config, fmt::format("the model {}", name_of(preset.model)));
      },
      preset.model);
  if (auto* config = std::get_if<TransformerConfig>(&preset.model)) fit_context(*config, settings);
  apply(settings.learning, preset.learner, "training");
  preset.learner.seed = settings.seed;
  if (preset.learner.schedule.steps == 0) preset.learner.schedule.steps = settings.trainer.steps;
  return preset;
}

}  // namespace heed
