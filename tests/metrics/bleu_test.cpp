#include "heed/metrics/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

using Texts = std::vector<std::string_view>;

double bleu(std::string_view hypothesis, const Texts& references, const BleuOptions& options = {}) {
  const Bleu metric(options);
  return metric.score(metric.count(hypothesis, references));
}

// 5 of 6 words, 3 of 5 pairs, 1 of 4 triples and none of 3 quadruples, which counts as half of one.
TEST(Bleu, IsTheGeometricMeanOfThePrecisions) {
  const Bleu metric;
  const Texts reference = {"the cat is on the mat"};
  const Metric::Counts counts = metric.count("the cat sat on the mat", reference);
  EXPECT_NEAR(metric.score(counts), 100 * std::pow(5.0 / 6 * 3 / 5 * 1 / 4 * 1 / 6, 0.25), 1e-10);
  EXPECT_EQ(metric.text(counts),
            "BLEU = 37.99 83.3/60.0/25.0/16.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)");
}

TEST(Bleu, EveryFurtherOrderWithoutAMatchCountsHalf) {
  // 2 of 6 words; then 1/2 of 5, 1/4 of 4 and 1/8 of 3.
  EXPECT_NEAR(bleu("a x y z v b", {"b u c a d e"}), 100 * std::pow(2.0 / 6 / 10 / 16 / 24, 0.25),
              1e-10);
  EXPECT_EQ(bleu("x y z", {"a b c"}), 0);
}

TEST(Bleu, AWordMatchesAsOftenAsTheReferenceHasIt) {
  // 2 of 7 words; the reference has no "the the".
  EXPECT_NEAR(bleu("the the the the the the the", {"the cat is on the mat"}),
              100 * std::pow(2.0 / 7 / 12 / 20 / 32, 0.25), 1e-10);
}

TEST(Bleu, ShortTranslationsArePenalised) {
  EXPECT_NEAR(bleu("a b c d", {"a b c d e f"}), 100 * std::exp(1 - 6.0 / 4), 1e-10);
  EXPECT_NEAR(bleu("a b c d e f", {"a b c d"}),
              100 * std::pow(4.0 / 6 * 3 / 5 * 2 / 4 * 1 / 3, 0.25), 1e-10);
  EXPECT_EQ(bleu("", {"a b c d"}), 0);
  EXPECT_EQ(bleu("", {""}), 0);
}

TEST(Bleu, SeveralReferences) {
  // One or another has every word, pair and triple, but none has "b c d e"; the third is as long.
  EXPECT_NEAR(bleu("a b c d e f g", {"a b c d", "c d e f g h i j k l", "x x x x x x x"}),
              100 * std::pow(3.0 / 4, 0.25), 1e-10);
  // Of two lengths that are equally close the shorter counts.
  EXPECT_NEAR(bleu("a b c d e", {"a b c d e x x", "a b c"}), 100, 1e-10);
  EXPECT_LT(bleu("a b c d e", {"a b c d e x x"}), 100);
}

TEST(Bleu, TheEffectiveOrderIsWhatTheSentenceHas) {
  EXPECT_EQ(bleu("hello world", {"hello world"}), 0);
  EXPECT_NEAR(bleu("hello world", {"hello world"}, {.effective_order = true}), 100, 1e-10);
  EXPECT_NEAR(bleu("hello there", {"hello world"}, {.effective_order = true}),
              100 * std::sqrt(0.5 * 0.5), 1e-10);
  EXPECT_EQ(bleu("bye", {"hello world"}, {.effective_order = true}), 0);
  EXPECT_EQ(bleu("", {"hello world"}, {.effective_order = true}), 0);
}

TEST(Bleu, TokenisesAndLowers) {
  EXPECT_NEAR(bleu("One, two, three.", {"One , two , three ."}), 100, 1e-10);
  EXPECT_EQ(bleu("One, two, three.", {"One , two , three ."}, {.tokeniser = Tokeniser::none}), 0);
  EXPECT_NEAR(bleu("ΟΔΟΣ A B C", {"οδος a b c"}, {.lowercase = true}), 100, 1e-10);
  EXPECT_EQ(bleu("ΟΔΟΣ A B C", {"οδος a b c"}), 0);
  EXPECT_NEAR(bleu("我们走吧", {"我们走吧"}, {.tokeniser = Tokeniser::chinese}), 100, 1e-10);
}

// A corpus is more than the mean of its sentences.
TEST(Bleu, CountsAddUp) {
  const std::vector<std::string> hypotheses = {"the cat sat on the mat", "a b c d"};
  const std::vector<std::string> references = {"the cat is on the mat", "a b c d e f"};
  // 9 of 10, 6 of 8, 3 of 6, 1 of 4; 10 words for 12.
  EXPECT_NEAR(corpus_score(Bleu(), hypotheses, references),
              100 * std::exp(1 - 12.0 / 10) * std::pow(9.0 / 10 * 6 / 8 * 3 / 6 * 1 / 4, 0.25),
              1e-10);
}

TEST(Bleu, Signature) {
  EXPECT_EQ(Bleu().signature(1), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
  EXPECT_EQ(
      Bleu({.tokeniser = Tokeniser::none, .lowercase = true, .effective_order = true}).signature(3),
      "nrefs:3|case:lc|eff:yes|tok:none|smooth:exp|version:2.6.0");
}

}  // namespace
}  // namespace heed
