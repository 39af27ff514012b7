#include "heed/app/cli/train_presets.h"

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

}  // namespace

Preset preset_of(std::string_view name) {
  if (name == "tiny") return {transformer(4, 128, 256, 4, 0.3), learning(4e-3, 1000)};
  if (name == "small") return {transformer(6, 256, 1024, 4, 0.1), learning(1.5e-3, 2000)};
  if (name == "base") return {transformer(6, 512, 2048, 8, 0.1), learning(7e-4, 4000)};
  if (name == "rnn") return {recurrent(), learning(2e-3, 500)};
  fail("train: the preset is \"{}\" but tiny, small, base or rnn was expected", name);
}

std::string_view preset_for(int64_t pairs) {
  return pairs < 200'000 ? "tiny" : pairs < 2'000'000 ? "small" : "base";
}

}  // namespace heed
