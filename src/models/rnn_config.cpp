#include "heed/models/rnn_config.h"

#include "heed/base/error.h"

namespace heed {

namespace {

bool needs_equal_depths(std::optional<ScoreKind> attention) {
  return attention == ScoreKind::dot || attention == ScoreKind::scaled_dot;
}

void check_rate(std::string_view name, double rate) {
  require(rate >= 0.0 && rate < 1.0, "rnn: {} of {} but 0 <= rate < 1 was expected", name, rate);
}

}  // namespace

int64_t RnnConfig::encoder_depth() const {
  if (encoder_hidden != 0) return encoder_hidden;
  return needs_equal_depths(attention) ? hidden / directions() : hidden;
}

int64_t RnnConfig::context_depth() const { return encoder_depth() * directions(); }

void RnnConfig::check() const {
  require(source_vocabulary > 0 && target_vocabulary > 0,
          "rnn: vocabularies of {} and {} words, but both must have some", source_vocabulary,
          target_vocabulary);
  require(embedding > 0 && hidden > 0 && encoder_hidden >= 0 && layers > 0,
          "rnn: embedding {}, hidden {}, encoder_hidden {} and {} layers, but they must be positive",
          embedding, hidden, encoder_hidden, layers);
  require(attention != ScoreKind::cosine && attention != ScoreKind::gaussian,
          "rnn: attention by the {} score, but additive, bilinear, dot, scaled-dot or none was expected",
          attention ? name_of(*attention) : "");
  require(!needs_equal_depths(attention) || context_depth() == hidden,
          "rnn: the {} score needs keys as deep as the decoder's state, but they have {} and it has {}",
          attention ? name_of(*attention) : "", context_depth(), hidden);
  check_rate("dropout", dropout);
  check_rate("embedding_dropout", embedding_dropout);
  require(tied != TiedEmbeddings::all || source_vocabulary == target_vocabulary,
          "rnn: all embeddings tied but vocabularies of {} and {} words", source_vocabulary,
          target_vocabulary);
}

}  // namespace heed
