// Options of a search for translations.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "heed/models/model.h"
#include "heed/models/search_defaults.h"
#include "heed/models/trained_lengths.h"

namespace heed {

// Samples tokens at random instead of searching. The samples of a sentence depend only on the
// sentence, the seed and these settings.
struct Sampling {
  double temperature = 1;  // below 1 favours likely tokens
  int top_k = 0;           // sample from the k likeliest tokens; 0 for all
  double top_p = 1;        // sample from the likeliest tokens that together have this probability
  uint64_t seed = 1;
};

struct SearchOptions {
  int beam = 5;
  // Hypotheses to return for each sentence: at most `beam`, or any number of samples.
  int n_best = 1;

  // Hypotheses are ranked by log-probability / length^penalty, where the length includes the
  // sentence's end: 1 compares the mean per token, as CTranslate2 and Marian (with normalize 1) do;
  // 0 favours short ones.
  double length_penalty = 1;
  // Taken from the log-probability for each token before that.
  double word_penalty = 0;

  // As Marian searches: a hypothesis that ends leaves its place in the beam empty, the search goes
  // on until all have ended, and tokens that are not allowed keep their share of the probability.
  bool narrowing = false;

  // A sentence is done when patience * beam of its hypotheses have ended, or as soon as no other
  // can make it into the n best.
  double patience = 1;

  // Length limits in tokens. An explicit maximum wins over the model's own limit. A longer prefix
  // is kept whole, with nothing after it. The end of the sentence counts towards the maximum, but
  // not towards the minimum.
  std::optional<int64_t> max_length = {};
  std::optional<double> max_ratio = {};  // times the tokens of the source
  int64_t min_length = 1;
  TrainedLengths lengths = {};  // of the model: its own limit is derived from them
  // Of the model: no hypothesis gets longer.
  int64_t context_length = std::numeric_limits<int64_t>::max();

  int no_repeat_ngram = 0;  // size of n-grams that must not repeat; 0: no limit
  // Above 1, tokens that a hypothesis already has become less likely: positive scores are divided
  // by this, others multiplied (Keskar et al., 2019).
  double repetition_penalty = 1;

  std::vector<int32_t> forbidden = {};  // ids that are never proposed
  // What else could stand in a place: the hypotheses differ in their first token after the prefix.
  // The `beam` likeliest tokens go on from there, each by itself and greedily. Not for samples.
  bool branch = false;
  bool want_attention = false;
  AttentionChoice attention = {};
  std::optional<Sampling> sampling = {};
};

// Beam and length penalty as the model's makers have them.
SearchOptions usual_search(const SearchDefaults& defaults);

// An Error names the invalid setting.
void check(const SearchOptions& options);

// The maximum length of a hypothesis for a source of this many tokens, including its end: at least
// the minimum length plus the end, and at least the prefix. The model's own limit also leaves room
// for an end after the prefix.
int64_t longest_hypothesis(const SearchOptions& options, int64_t source_tokens,
                           size_t prefix_tokens = 0);

// What hypotheses are ranked by. The length includes the sentence's end, or the token it was cut
// after.
double hypothesis_score(const SearchOptions& options, double log_probability, int64_t length);

// The ids that start a decoder and end a sentence.
struct SentenceBounds {
  int32_t start = 0;
  int32_t end = 0;
};

// For each sentence, the ids that its translation must start with; empty if there are no prefixes.
using TargetPrefixes = std::span<const std::vector<int32_t>>;

}  // namespace heed
