#include "heed/app/cli/train_presets.h"

#include <algorithm>

#include "heed/app/cli/field_text.h"
#include "heed/base/error.h"

namespace heed {

namespace {

TransformerConfig transformer(int64_t layers, int64_t depth, int64_t feed_forward, int64_t heads,
                              double dropout) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = layers;
  config.depth = depth;
  config.feed_forward = feed_forward;
  config.heads = heads;
  config.dropout = config.embedding_dropout = dropout;
  return config;
}

// Of little text a decoder whose norms stand after its blocks learns late to look at the source.
TransformerConfig tiny_transformer() {
  TransformerConfig config = transformer(4, 128, 256, 4, 0.3);
  config.norm = NormPlacement::before;
  return config;
}

LearnerConfig learning(double rate, int64_t warm_up) {
  LearnerConfig config;
  config.schedule.rate = rate;
  config.schedule.warm_up = warm_up;
  config.average = 0.999;
  return config;
}

RnnConfig recurrent() {
  RnnConfig config;
  config.dropout = config.embedding_dropout = 0.3;
  config.tied = TiedEmbeddings::all;
  return config;
}

// Takes what was given out of the settings that the command line names; what is left fits no model of this
// kind.
template <typename Config>
void apply(std::map<std::string, std::string> given, Config& config, std::string_view what) {
  visit_fields(config, [&](const char* name, auto& field, const char*) {
    const auto found = given.find(name);
    if (found == given.end()) return;
    set_field(name, found->second, field);
    given.erase(found);
  });
  require(given.empty(), "--{} is no setting of {}", given.empty() ? "" : given.begin()->first, what);
}

}  // namespace

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

Preset chosen_preset(const TrainOptions& options, int64_t pairs) {
  Preset preset = preset_of(options.preset.empty() ? preset_for(pairs) : options.preset);
  std::visit(
      [&](auto& config) { apply(options.model, config, fmt::format("the model {}", name_of(preset.model))); },
      preset.model);
  // Learned positions reach at least as far as the sentences do.
  if (auto* config = std::get_if<TransformerConfig>(&preset.model))
    config->longest = std::max(config->longest, options.longest);
  apply(options.learning, preset.learner, "training");
  preset.learner.seed = options.trainer.learner.seed;
  if (preset.learner.schedule.steps == 0) preset.learner.schedule.steps = options.trainer.steps;
  return preset;
}

}  // namespace heed
