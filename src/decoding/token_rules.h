// Rules about the next token of a hypothesis, regardless of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "heed/decoding/search_options.h"

namespace heed {

class TokenRules {
 public:
  // Scores have a column for each token or, if there are any, for each of these: sorted ids, which
  // outlive the rules and have the end among them.
  TokenRules(const SearchOptions& options, int32_t end, std::span<const int32_t> candidates = {})
      : options_(options), end_(end), candidates_(candidates) {}

  // Whether apply() needs the tokens so far.
  bool needs_tokens() const {
    return options_.no_repeat_ngram > 0 || options_.repetition_penalty != 1;
  }

  // Changes the scores of the next token of a hypothesis of this length: forbidden tokens get
  // -infinity, unless they keep their share of the probability. If all are forbidden, the end is
  // allowed.
  void apply(std::span<float> scores, int64_t length, std::span<const int32_t> tokens) const;

  // Whether tokens that are not allowed keep their share of the probability; the search passes over
  // them.
  bool keep_shares() const { return options_.narrowing && !options_.sampling; }
  // None if the token is no candidate.
  std::optional<int32_t> column_of(int32_t id) const;
  bool is_forbidden(int32_t id, int64_t length) const;
  size_t most_forbidden() const { return options_.forbidden.size() + 1; }

 private:
  void forbid(std::span<float> scores, int32_t id) const;
  void forbid_repeated_ngrams(std::span<float> scores, std::span<const int32_t> tokens) const;
  void punish_repetition(std::span<float> scores, std::span<const int32_t> tokens) const;

  const SearchOptions& options_;
  int32_t end_;
  std::span<const int32_t> candidates_;
};

}  // namespace heed
