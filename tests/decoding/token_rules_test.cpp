#include "heed/decoding/token_rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

constexpr int32_t end_id = 0;

// Which of eight tokens may come after `tokens`.
Ids allowed(const SearchOptions& options, const Ids& tokens) {
  std::vector<float> scores(8, 0.5f);
  TokenRules(options, end_id).apply(scores, static_cast<int64_t>(tokens.size()), tokens);
  Ids ids;
  for (int32_t id = 0; id < 8; ++id)
    if (!std::isinf(scores[static_cast<size_t>(id)])) ids.push_back(id);
  return ids;
}

TEST(TokenRules, ForbidTokensAndEarlyEnds) {
  EXPECT_EQ(allowed({.min_length = 0, .forbidden = {3, 5}}, {}), (Ids{0, 1, 2, 4, 6, 7}));
  EXPECT_EQ(allowed({.min_length = 2}, {4}), (Ids{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(allowed({.min_length = 2}, {4, 4}), (Ids{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(testing::error_of([] { allowed({.forbidden = {8}}, {}); }),
            "beam search: id 8 is forbidden, but the vocabulary has 8");
}

TEST(TokenRules, ForbidRepeatedNgrams) {
  const Ids all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(allowed({.no_repeat_ngram = 1}, {2, 5}), (Ids{0, 1, 3, 4, 6, 7}));
  EXPECT_EQ(allowed({.no_repeat_ngram = 2}, {2, 5, 3, 2}), (Ids{0, 1, 2, 3, 4, 6, 7}));
  EXPECT_EQ(allowed({.no_repeat_ngram = 2}, {2, 5, 2, 6, 2}), (Ids{0, 1, 2, 3, 4, 7}));
  EXPECT_EQ(allowed({.no_repeat_ngram = 2}, {2, 2}), (Ids{0, 1, 3, 4, 5, 6, 7}));
  EXPECT_EQ(allowed({.no_repeat_ngram = 3}, {1, 2, 3, 1, 2}), (Ids{0, 1, 2, 4, 5, 6, 7}));
  EXPECT_EQ(allowed({.no_repeat_ngram = 3}, {1, 2, 3, 2}), all);
  EXPECT_EQ(allowed({.no_repeat_ngram = 4}, {1}), all);
}

TEST(TokenRules, LeaveTheEndWhereNothingElseIsLeft) {
  EXPECT_EQ(allowed({.min_length = 20, .no_repeat_ngram = 1}, {1, 2, 3, 4, 5, 6, 7}), (Ids{0}));
}

TEST(TokenRules, PunishRepetitionOncePerToken) {
  std::vector<float> scores = {1.0f, 2.0f, -3.0f, 4.0f};
  const SearchOptions options{.repetition_penalty = 2};
  const TokenRules rules(options, end_id);
  EXPECT_TRUE(rules.needs_tokens());
  rules.apply(scores, 4, Ids{1, 2, 2, 1});
  EXPECT_EQ(scores, (std::vector<float>{1.0f, 1.0f, -6.0f, 4.0f}));
  EXPECT_FALSE(TokenRules(SearchOptions{}, end_id).needs_tokens());
}

}  // namespace
}  // namespace heed
