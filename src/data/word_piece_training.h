// Learns the word pieces of a BERT from text.
#pragma once

#include <cstdint>

#include "heed/data/vocabulary_training.h"
#include "heed/data/word_pieces.h"

namespace heed {

struct WordPieceConfig {
  // Total number of ids, including [PAD], [UNK], [CLS], [SEP] and [MASK], which come first. 0:
  // chosen from the text (see pick_vocabulary_size), and fewer if it supports no more.
  int size = 0;
  bool lowercase = true;  // and without accents

  int64_t most_words = 2'000'000;  // distinct ones; a huge text is sampled
  uint64_t seed = 1;

  bool operator==(const WordPieceConfig&) const = default;
};

// The pieces are those of byte-pair encoding within the words of BERT's normaliser, the most
// frequent first; every character of the text can be spelt. The same text, configuration and seed
// give the same bytes. An Error if there is no text, or if it does not support a vocabulary of that
// size (it names the largest or smallest size that works).
WordPieces train_word_pieces(const WordPieceConfig& config, const SentenceSource& source);

}  // namespace heed
