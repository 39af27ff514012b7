#include "heed/metrics/chrf.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Texts = std::vector<std::string_view>;

double chrf(std::string_view hypothesis, const Texts& references, const ChrfOptions& options = {}) {
  const Chrf metric(options);
  return metric.score(metric.count(hypothesis, references));
}

double f2(double precision, double recall) {
  return 100 * 5 * precision * recall / (4 * precision + recall);
}

constexpr ChrfOptions plus_plus{.word_orders = 2};

// Order 1 finds 2 of 2 and 2 of 3 characters, order 2 1 of 1 and 1 of 2; the hypothesis has no more
// orders.
TEST(Chrf, AveragesTheOrdersThatBothHave) {
  EXPECT_NEAR(chrf("ab", {"abc"}), f2(1.0, (2.0 / 3 + 1.0 / 2) / 2), 1e-10);
  EXPECT_NEAR(chrf("abc", {"ab"}), f2((2.0 / 3 + 1.0 / 2) / 2, 1.0), 1e-10);
  EXPECT_NEAR(chrf("aab", {"aba"}), f2((1.0 + 1.0 / 2 + 0) / 3, (1.0 + 1.0 / 2 + 0) / 3), 1e-10);
}

TEST(Chrf, SpacesDoNotCount) {
  EXPECT_NEAR(chrf("a b\u3000c d", {"abcd"}), 100, 1e-10);
  EXPECT_EQ(chrf("", {"abc"}), 0);
  EXPECT_EQ(chrf("abc", {""}), 0);
  EXPECT_EQ(chrf("abc", {"xyz"}), 0);
}

TEST(Chrf, CharactersAreNotBytes) { EXPECT_NEAR(chrf("äb", {"äc"}), f2(0.25, 0.25), 1e-10); }

// Characters: 3 of 4, 1 of 3, and then nothing of 2 and 1. Words: "ab", "c", "." beside "ab", "d",
// ".": 2 of 3; no pairs of 2.
TEST(Chrf, PlusPlusAddsWords) {
  const double share = (3.0 / 4 + 1.0 / 3 + 0 + 0 + 2.0 / 3 + 0) / 6;
  EXPECT_NEAR(chrf("ab c.", {"ab d."}, plus_plus), f2(share, share), 1e-10);
}

// One mark at the end, or else one at the start, is a word of its own; a lone mark is a word
// anyway.
TEST(Chrf, PunctuationIsCutOffWords) {
  EXPECT_NEAR(chrf("hi, \"so - x", {"hi , \" so - x"}, plus_plus), 100, 1e-10);
  EXPECT_LT(chrf("(hi)", {"( hi )"}, plus_plus), 100);
  EXPECT_LT(chrf("“so”", {"“ so ”"}, plus_plus), 100);
}

TEST(Chrf, TheBestReferenceCounts) {
  EXPECT_NEAR(chrf("abcd", {"xxxx", "abcd", "ab"}), 100, 1e-10);
  EXPECT_EQ(chrf("ab", {"xy", "abc"}), chrf("ab", {"abc"}));
}

TEST(Chrf, Lowers) {
  EXPECT_EQ(chrf("ABC", {"abc"}), 0);
  EXPECT_NEAR(chrf("ABC", {"abc"}, {.lowercase = true}), 100, 1e-10);
}

TEST(Chrf, TextAndSignature) {
  const Chrf metric, words(plus_plus);
  const Texts reference = {"abc"};
  EXPECT_EQ(metric.text(metric.count("ab", reference)), "chrF2 = 63.64");
  EXPECT_EQ(words.text(words.count("abc", reference)), "chrF2++ = 100.00");
  EXPECT_EQ(metric.signature(1), "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0");
  EXPECT_EQ(words.signature(2), "nrefs:2|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0");
}

}  // namespace
}  // namespace heed
