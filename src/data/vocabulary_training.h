// Learns a vocabulary from text, with SentencePiece.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "heed/data/sentencepiece_model.h"
#include "heed/data/vocabulary.h"
#include "heed/data/word_counts.h"

namespace heed {

// The end of a sentence, the unknown, padding and a piece.
constexpr int smallest_vocabulary = 4;

// Text is taken as it is, character by character: no Unicode normalisation, which would turn "m²"
// into "m2" and "…" into "..." in every translation. Spaces at either end go, and several become
// one.
struct VocabularyConfig {
  VocabularyKind kind = VocabularyKind::unigram;

  // Ids in all, also those that end a sentence, stand for the unknown and pad. 0: picked from the
  // text (see pick_vocabulary_size), and fewer where the text supports no more; for characters and
  // words all there are.
  int size = 0;

  // Text whose tokens stand between spaces already: all spaces are kept, and what a tokeniser has
  // put together, such as &apos;s, may become one piece. Otherwise letters are not mixed with
  // digits and signs.
  bool tokenised = false;

  // Unigram and BPE: 256 pieces that stand for bytes, so that no character at all is unknown, and
  // rare ones can be copied. Left out where they would be more than a tenth of the vocabulary.
  bool byte_fallback = true;

  // Of a huge text a sample is taken, so that memory and time stay bounded: of sentences for
  // unigram, otherwise of words.
  int64_t most_bytes = int64_t{16} << 20;
  int64_t most_words = 2'000'000;  // distinct ones
  uint64_t seed = 1;

  bool operator==(const VocabularyConfig&) const = default;
};

// Puts the next sentence into its argument, or says that there is none.
using SentenceSource = std::function<bool(std::string& sentence)>;

// The same text, configuration and seed give the same bytes. Of a long text a million sentences are
// used, each as likely as any other. An Error if there is no text, or if the text supports no
// vocabulary of that size (it says which is the largest, or the smallest, that works).
Vocabulary train_vocabulary(const VocabularyConfig& config, const SentenceSource& source);

// A hundred times the cube root of the number of words (29,000 sentence pairs: about 9,000; a
// million: the most, 32,000), but not more than a third of the distinct words, so that most pieces
// are seen several times, and not fewer than twice the distinct characters.
int pick_vocabulary_size(const TextSize& text);

}  // namespace heed
