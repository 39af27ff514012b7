// What a search for translations is told.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "heed/models/model.h"
#include "heed/models/trained_lengths.h"

namespace heed {

// Draws tokens at random instead of searching for the likeliest. What is drawn for a sentence
// depends on the sentence, the seed and these settings only.
struct Sampling {
  double temperature = 1;  // below 1 the likely get likelier, above 1 less so
  int top_k = 0;           // draw among the k likeliest tokens; 0 for all
  double top_p = 1;        // draw among the likeliest that together have this probability
  uint64_t seed = 1;
};

struct SearchOptions {
  int beam = 5;
  int n_best =
      1;  // hypotheses to return for each sentence: at most `beam`, or any number of samples

  // Hypotheses compete by log-probability / length^penalty, where the length counts the sentence's
  // end: 1 compares the average token, as CTranslate2 and Marian (with normalize 1) do; 0 favours
  // the short.
  double length_penalty = 1;

  // A sentence is done when patience * beam of its hypotheses have ended, or as soon as no other
  // can be among the n best any more.
  double patience = 1;

  // Tokens of a hypothesis. The most that is asked for counts, else the model's own limit; a prefix
  // that is longer stays whole, with nothing after it. The end of the sentence counts as a token of
  // the most, but not of the fewest.
  std::optional<int64_t> max_length = {};
  std::optional<double> max_ratio = {};  // times the tokens of the source
  int64_t min_length = 1;
  TrainedLengths lengths = {};  // of the model: its own limit follows from them
  int64_t context_length =
      std::numeric_limits<int64_t>::max();  // no hypothesis reaches beyond the model's

  int no_repeat_ngram = 0;  // no so many tokens in a row come twice; 0 for any
  // Above 1, tokens that a hypothesis has already become less likely: their scores are divided by
  // this where they are positive and multiplied where they are not (Keskar et al., 2019).
  double repetition_penalty = 1;

  std::vector<int32_t> forbidden = {};  // ids that are never proposed
  bool want_attention = false;
  AttentionChoice attention = {};
  std::optional<Sampling> sampling = {};
};

// An Error names the setting that cannot be.
void check(const SearchOptions& options);

// The longest that a hypothesis of a sentence with so many tokens may get, its end included: never
// less than the shortest that is allowed, with its end, or than a prefix of so many tokens. The
// model's own limit also leaves room for the end of a prefix.
int64_t longest_hypothesis(const SearchOptions& options, int64_t source_tokens,
                           size_t prefix_tokens = 0);

// What hypotheses compete by. The length counts the sentence's end, or the token it was cut after.
double hypothesis_score(const SearchOptions& options, double log_probability, int64_t length);

// The ids that a decoder begins with and that end a sentence.
struct SentenceBounds {
  int32_t start = 0;
  int32_t end = 0;
};

// For each sentence the ids that its translation must begin with; nothing at all where none has
// any.
using TargetPrefixes = std::span<const std::vector<int32_t>>;

}  // namespace heed
