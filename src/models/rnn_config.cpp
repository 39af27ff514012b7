#include "heed/models/rnn_config.h"

#include "heed/base/error.h"

namespace heed {

namespace {

bool needs_equal_widths(std::optional<ScoreKind> attention) {
  return attention == ScoreKind::dot || attention == ScoreKind::scaled_dot;
}

void check_rate(std::string_view name, double rate) {
  require(rate >= 0.0 && rate < 1.0, "rnn: {} of {} but 0 <= rate < 1 was expected", name, rate);
}

}  // namespace

int64_t RnnConfig::encoder_width() const {
  if (encoder_hidden != 0) return encoder_hidden;
  return needs_equal_widths(attention) ? hidden / directions() : hidden;
}

void check(const RnnConfig& config) {
  require(config.source_vocabulary > 0 && config.target_vocabulary > 0,
          "rnn: vocabularies of {} and {} words, but both must be positive",
          config.source_vocabulary, config.target_vocabulary);
  require(
      config.embedding > 0 && config.hidden > 0 && config.encoder_hidden >= 0 && config.layers > 0,
      "rnn: embedding {}, hidden {}, encoder_hidden {} and {} layers, but they must be positive",
      config.embedding, config.hidden, config.encoder_hidden, config.layers);
  require(config.attention != ScoreKind::cosine && config.attention != ScoreKind::gaussian,
          "rnn: attention by the {} score, but additive, bilinear, dot, scaled-dot or none was "
          "expected",
          config.attention ? name_of(*config.attention) : "");
  require(
      !needs_equal_widths(config.attention) || config.context_width() == config.hidden,
      "rnn: the {} score needs keys as wide as the decoder's state, but they have {} and it has {}",
      config.attention ? name_of(*config.attention) : "", config.context_width(), config.hidden);
  check_rate("dropout", config.dropout);
  check_rate("embedding_dropout", config.embedding_dropout);
  require(
      config.tied != TiedEmbeddings::all || config.source_vocabulary == config.target_vocabulary,
      "rnn: all embeddings are tied but vocabularies of {} and {} words", config.source_vocabulary,
      config.target_vocabulary);
}

}  // namespace heed
