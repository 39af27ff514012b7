// Finds likely translations: at every step the best few beginnings of each sentence go on (a beam of one is
// greedy search), those that end leave the beam, and a sentence that is done leaves the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/decoding/hypothesis.h"
#include "heed/models/model.h"

namespace heed {

struct SearchOptions {
  int beam = 5;
  int n_best = 1;  // hypotheses to return for each sentence, at most `beam`

  // Hypotheses compete by log-probability / length^penalty, where the length counts the sentence's end: 1
  // compares the average token, as CTranslate2 and Marian (with normalize 1) do; 0 favours the short.
  double length_penalty = 1;

  // A sentence is done when patience * beam of its hypotheses have ended, or as soon as no other can be among
  // the n best any more.
  double patience = 1;

  // Hypotheses have at most factor * source tokens + constant tokens, with both ends counted, and never more
  // than the maximum; at least the minimum, with no end counted.
  double maximum_length_factor = 3;
  int maximum_length_constant = 10;
  int maximum_length = 500;
  int minimum_length = 0;

  std::vector<int32_t> forbidden = {};  // ids that are never proposed
  bool want_attention = false;
};

// The ids that a decoder begins with and that end a sentence.
struct SentenceBounds {
  int32_t start = 0;
  int32_t end = 0;
};

// For each sentence of the batch its n best hypotheses, best first; fewer if the search has found fewer. The
// result of a sentence does not depend on its batch. Between equal scores the lower id comes first.
std::vector<std::vector<Hypothesis>> beam_search(const Model& model, const TokenBatch& source,
                                                 const SentenceBounds& bounds, const SearchOptions& options);

}  // namespace heed
