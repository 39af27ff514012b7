// Puts what a model did not see back into its translation: tags around the words that are aligned
// to the words they were around, everything else next to the words it stood at.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/markup/passage.h"
#include "heed/markup/sentence_request.h"

namespace heed {

// A piece of a translated passage, as it is written.
struct Placed {
  std::string output;
  Stack stack;
};

// An element that no word of the translation got, although it has words in this sentence.
struct Forsaken {
  uint32_t element = 0;
  size_t piece = 0;      // that it should be put around
  bool is_word = false;  // of the piece; otherwise the element stays empty before it
};

struct PlacedSentence {
  std::vector<Placed> pieces;
  std::vector<Forsaken> forsaken;
};

// `copies` as find_copies() gives them. Links that are not within the texts are ignored; without
// any, words are taken to be in the order of the source.
PlacedSentence place(const Passage& passage, const SentenceRequest& request,
                     const TranslatedSentence& translation, std::span<const TextRange> copies);

// The passage with its tags: every element at least once, and several times where its words are
// apart; ids only at the first.
std::string render(const Passage& passage, const std::vector<Placed>& pieces);

}  // namespace heed
