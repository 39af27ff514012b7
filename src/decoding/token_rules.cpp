#include "heed/decoding/token_rules.h"

#include <algorithm>
#include <limits>
#include <set>

#include "heed/base/error.h"

namespace heed {

void TokenRules::apply(std::span<float> scores, int64_t length,
                       std::span<const int32_t> tokens) const {
  if (options_.repetition_penalty != 1) punish_repetition(scores, tokens);
  if (options_.no_repeat_ngram > 0) forbid_repeated_ngrams(scores, tokens);
  if (keep_shares()) return;
  for (const int32_t id : options_.forbidden) forbid(scores, id);
  if (length < options_.min_length) forbid(scores, end_);
  // If nothing is allowed, the sentence ends.
  if ((needs_tokens() || length < options_.min_length) &&
      std::ranges::none_of(
          scores, [](float score) { return score > -std::numeric_limits<float>::infinity(); }))
    scores[column_of(end_).value_or(0)] = 0;
}

bool TokenRules::is_forbidden(int32_t id, int64_t length) const {
  return (id == end_ && length < options_.min_length) ||
         std::ranges::find(options_.forbidden, id) != options_.forbidden.end();
}

std::optional<int32_t> TokenRules::column_of(int32_t id) const {
  if (candidates_.empty()) return id;
  const auto found = std::ranges::lower_bound(candidates_, id);
  if (found == candidates_.end() || *found != id) return std::nullopt;
  return static_cast<int32_t>(found - candidates_.begin());
}

void TokenRules::forbid(std::span<float> scores, int32_t id) const {
  if (!candidates_.empty()) {
    if (const std::optional<int32_t> column = column_of(id))
      scores[*column] = -std::numeric_limits<float>::infinity();
    return;
  }
  require(id >= 0 && id < static_cast<int32_t>(scores.size()),
          "beam search: id {} is forbidden, but the vocabulary has {}", id, scores.size());
  scores[id] = -std::numeric_limits<float>::infinity();
}

// Wherever the last n - 1 tokens occurred before, the token that followed them there is forbidden.
void TokenRules::forbid_repeated_ngrams(std::span<float> scores,
                                        std::span<const int32_t> tokens) const {
  const size_t context = static_cast<size_t>(options_.no_repeat_ngram) - 1;
  if (tokens.size() < context) return;
  const std::span<const int32_t> last = tokens.last(context);
  for (size_t i = 0; i + context < tokens.size(); ++i)
    if (std::ranges::equal(tokens.subspan(i, context), last)) forbid(scores, tokens[i + context]);
}

void TokenRules::punish_repetition(std::span<float> scores, std::span<const int32_t> tokens) const {
  const auto penalty = static_cast<float>(options_.repetition_penalty);
  for (const int32_t id : std::set<int32_t>(tokens.begin(), tokens.end())) {
    const std::optional<int32_t> column = column_of(id);
    if (!column) continue;
    float& score = scores[*column];
    score = score > 0 ? score / penalty : score * penalty;
  }
}

}  // namespace heed
