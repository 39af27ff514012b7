#include "heed/decoding/search_options.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed {

namespace {

void check(const Sampling& sampling) {
  require(std::isfinite(sampling.temperature) && sampling.temperature > 0,
          "sampling: a temperature of {}, but it must be more than 0", sampling.temperature);
  require(sampling.top_k >= 0, "sampling: the {} likeliest tokens, but it must be 0 or more", sampling.top_k);
  require(sampling.top_p > 0 && sampling.top_p <= 1,
          "sampling: a probability of {}, but 0 < p <= 1 was expected", sampling.top_p);
}

}  // namespace

void check(const SearchOptions& options) {
  require(options.beam >= 1, "beam search: a beam of {}, but it must be at least 1", options.beam);
  require(options.n_best >= 1 && (options.n_best <= options.beam || options.sampling),
          "beam search: the {} best are wanted of a beam of {}", options.n_best, options.beam);
  require(options.length_penalty >= 0 && std::isfinite(options.length_penalty),
          "beam search: a length penalty of {}, but it must be 0 or more", options.length_penalty);
  require(options.patience > 0, "beam search: a patience of {}, but it must be more than 0",
          options.patience);
  require(options.maximum_length_factor >= 0 && options.maximum_length_constant >= 0,
          "beam search: a maximum length of {} times the source plus {}, but neither may be negative",
          options.maximum_length_factor, options.maximum_length_constant);
  require(options.maximum_length >= 1, "beam search: a maximum length of {}, but it must be at least 1",
          options.maximum_length);
  require(options.minimum_length >= 0 && options.minimum_length <= options.maximum_length,
          "beam search: a minimum length of {} and a maximum of {}", options.minimum_length,
          options.maximum_length);
  require(options.no_repeat_ngram >= 0, "beam search: {} tokens in a row that must not repeat",
          options.no_repeat_ngram);
  require(std::isfinite(options.repetition_penalty) && options.repetition_penalty > 0,
          "beam search: a repetition penalty of {}, but it must be more than 0", options.repetition_penalty);
  if (options.sampling) check(*options.sampling);
}

int64_t longest_hypothesis(const SearchOptions& options, int64_t source_tokens, size_t prefix_tokens) {
  const double longest = options.maximum_length_factor * static_cast<double>(source_tokens) +
                         static_cast<double>(options.maximum_length_constant);
  const double shortest = std::min(options.minimum_length + 1, options.maximum_length);
  return std::max(static_cast<int64_t>(std::clamp<double>(longest, shortest, options.maximum_length)),
                  static_cast<int64_t>(prefix_tokens) + 1);
}

double hypothesis_score(const SearchOptions& options, double log_probability, int64_t length) {
  return log_probability / std::pow(static_cast<double>(length), options.length_penalty);
}

}  // namespace heed
