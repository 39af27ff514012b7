// The settings of the recurrent encoder–decoder.
#pragma once

#include <cstdint>
#include <optional>

#include "heed/attention/score.h"
#include "heed/autograd/recurrence.h"
#include "heed/models/tied_embeddings.h"

namespace heed {

struct RnnConfig {
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;  // its last id starts the decoder
  int64_t embedding = 256;        // width of the embeddings and of the output layer's input
  int64_t hidden = 256;           // of the decoder's layers
  // Of the encoder's layers, per direction. 0: that of the decoder, halved if a dot score needs
  // keys from two directions to be as wide as the decoder's state.
  int64_t encoder_hidden = 0;
  int layers = 1;
  RecurrentKind cell = RecurrentKind::gru;
  bool bidirectional = true;  // the encoder
  // Additive, bilinear, dot or scaled dot. None: one fixed context.
  std::optional<ScoreKind> attention = ScoreKind::additive;
  double dropout = 0.0;  // of encoder outputs, between layers, and of the output layer's input
  double embedding_dropout = 0.0;  // of embedded words, on both sides
  TiedEmbeddings tied = TiedEmbeddings::none;

  bool operator==(const RnnConfig&) const = default;

  int directions() const { return bidirectional ? 2 : 1; }
  int64_t encoder_width() const;                                            // per direction
  int64_t context_width() const { return encoder_width() * directions(); }  // of keys and values
};

// Refuses settings that no model can have, naming the setting.
void check(const RnnConfig& config);

}  // namespace heed
