#include "heed/decoding/search_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed {

namespace {

void check(const Sampling& sampling) {
  require(std::isfinite(sampling.temperature) && sampling.temperature > 0,
          "sampling: a temperature of {}, but it must be more than 0", sampling.temperature);
  require(sampling.top_k >= 0, "sampling: top k of {}, but it must be 0 or more", sampling.top_k);
  require(sampling.top_p > 0 && sampling.top_p <= 1,
          "sampling: top p of {} but 0 < p <= 1 was expected", sampling.top_p);
}

void check_all(const SearchOptions& options) {
  require(options.beam >= 1, "beam search: a beam of {}, but it must be at least 1", options.beam);
  require(options.n_best >= 1 && (options.n_best <= options.beam || options.sampling),
          "beam search: the {} best were requested from a beam of {}", options.n_best,
          options.beam);
  require(options.length_penalty >= 0 && std::isfinite(options.length_penalty),
          "beam search: a length penalty of {}, but it must be 0 or more", options.length_penalty);
  require(std::isfinite(options.word_penalty), "beam search: a word penalty of {}",
          options.word_penalty);
  require(options.patience > 0, "beam search: a patience of {}, but it must be more than 0",
          options.patience);
  require(!options.max_length || *options.max_length >= 1,
          "beam search: a maximum length of {}, but it must be at least 1",
          options.max_length.value_or(0));
  require(!options.max_ratio || (std::isfinite(*options.max_ratio) && *options.max_ratio > 0),
          "beam search: a maximum ratio of {}, but it must be more than 0",
          options.max_ratio.value_or(0));
  require(options.min_length >= 0 &&
              options.min_length <= options.max_length.value_or(options.min_length),
          "beam search: a minimum length of {} and a maximum of {}", options.min_length,
          options.max_length.value_or(0));
  require(options.no_repeat_ngram >= 0,
          "beam search: no repeated n-grams of {} tokens, but it must be 0 or more",
          options.no_repeat_ngram);
  require(std::isfinite(options.repetition_penalty) && options.repetition_penalty > 0,
          "beam search: a repetition penalty of {}, but it must be more than 0",
          options.repetition_penalty);
  require(!options.branch || !options.sampling,
          "beam search: samples were requested, but also hypotheses that branch");
  if (options.sampling) check(*options.sampling);
}

// The requested limit or, without one, the limit from the lengths of the model's corpus.
int64_t wanted_limit(const SearchOptions& options, int64_t source_tokens, int64_t prefix_tokens) {
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  if (!options.max_length && !options.max_ratio)
    return std::max(options.lengths.longest_translation(source_tokens), prefix_tokens + 1);
  const double by_ratio =
      std::ceil(options.max_ratio.value_or(1) * static_cast<double>(source_tokens));
  // The ratio may be so large that the limit overflows an integer.
  const bool is_limit = options.max_ratio && by_ratio < 0x1p62;
  return std::min(options.max_length.value_or(any),
                  is_limit ? static_cast<int64_t>(by_ratio) : any);
}

}  // namespace

SearchOptions usual_search(const SearchDefaults& defaults) {
  constexpr int64_t widest = 1000;
  SearchOptions search;
  if (defaults.beam > 0) search.beam = static_cast<int>(std::min(defaults.beam, widest));
  search.length_penalty = defaults.length_penalty;
  return search;
}

void check(const SearchOptions& options) {
  with_error_kind(ErrorKind::usage, [&] { check_all(options); });
}

int64_t longest_hypothesis(const SearchOptions& options, int64_t source_tokens,
                           size_t prefix_tokens) {
  const auto prefix = static_cast<int64_t>(prefix_tokens);
  int64_t longest = std::max(wanted_limit(options, source_tokens, prefix), options.min_length + 1);
  if (options.max_length) longest = std::min(longest, *options.max_length);
  return std::max(std::min(longest, options.context_length), prefix);
}

double hypothesis_score(const SearchOptions& options, double log_probability, int64_t length) {
  const auto tokens = static_cast<double>(length);
  return (log_probability - options.word_penalty * tokens) /
         std::pow(tokens, options.length_penalty);
}

}  // namespace heed
