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
// into "m2" and "…" into "..." in every translation. Leading and trailing spaces are removed, and
// several become one.
struct VocabularyConfig {
  VocabularyKind kind = VocabularyKind::unigram;

  // Total number of ids, including end of sentence, unknown and padding. 0: chosen from the text
  // (see pick_vocabulary_size), and fewer if the text supports no more; for characters and words,
  // all of them.
  int size = 0;

  // The text is already tokenised: all spaces are kept, and a token such as &apos;s may become one
  // piece. Otherwise letters are not mixed with digits and symbols.
  bool tokenised = false;

  // Running text rather than sentences: every space is kept, and line breaks and tabs become pieces
  // of their own, so that what is decoded is what was encoded. In a vocabulary of words, spaces
  // only separate them, and a line break is a word.
  bool running = false;

  // Byte fallback for unigram and BPE: 256 pieces for bytes, so that no character is unknown and
  // rare ones can be copied. Left out if they would be more than a tenth of the vocabulary.
  bool byte_fallback = true;

  // A huge text is sampled, so that memory and time stay bounded: sentences for unigram, otherwise
  // words.
  int64_t most_bytes = int64_t{16} << 20;
  int64_t most_words = 2'000'000;  // distinct ones
  uint64_t seed = 1;

  bool operator==(const VocabularyConfig&) const = default;
};

// Stores the next sentence in its argument; false if there is none.
using SentenceSource = std::function<bool(std::string& sentence)>;

// The same text, configuration and seed give the same bytes. Of a long text, a uniform sample of a
// million sentences is used. An Error if there is no text, or if it does not support a vocabulary
// of that size (it names the largest or smallest size that works).
Vocabulary train_vocabulary(const VocabularyConfig& config, const SentenceSource& source);

// The same from words that were counted before, for every kind but unigram. Of `config.size`, which
// is not 0, it has fewer if the words support no more.
Vocabulary train_vocabulary(const VocabularyConfig& config, const WordCounts& words);

// A hundred times the cube root of the number of words (29,000 sentence pairs: about 9,000; a
// million: the most, 32,000), but not more than a third of the distinct words, so that most pieces
// are seen several times, and not fewer than twice the distinct characters.
int pick_vocabulary_size(const TextSize& text);

}  // namespace heed
