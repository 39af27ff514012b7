#include "heed/metrics/ter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace heed {
namespace {

using Texts = std::vector<std::string_view>;

Metric::Counts counts(std::string_view hypothesis, const Texts& references) {
  return Ter().count(hypothesis, references);
}

double ter(std::string_view hypothesis, const Texts& references) {
  return Ter().score(counts(hypothesis, references));
}

TEST(Ter, CountsEdits) {
  EXPECT_EQ(ter("a b c d", {"a b c d"}), 0);
  EXPECT_EQ(ter("a b x d", {"a b c d"}), 25);
  EXPECT_EQ(ter("a b d", {"a b c d"}), 25);
  EXPECT_EQ(ter("a b b c d", {"a b c d"}), 25);
  EXPECT_EQ(ter("", {"a b c d"}), 100);
  EXPECT_EQ(ter("x y z v w", {"a b c d"}), 125);
}

TEST(Ter, AMoveIsOneEdit) {
  EXPECT_EQ(ter("d e a b c", {"a b c d e"}), 20);
  EXPECT_EQ(ter("a b c d e", {"d e a b c"}), 20);
  EXPECT_DOUBLE_EQ(ter("c a b", {"a b c"}), 100.0 / 3);
  // Two moves, and one move with a replacement.
  EXPECT_DOUBLE_EQ(ter("e a b f c d", {"a b e c d f"}), 200.0 / 6);
  EXPECT_EQ(ter("d e a x c", {"a b c d e"}), 40);
}

TEST(Ter, CaseDoesNotCountButPunctuationDoes) {
  EXPECT_EQ(ter("The CAT", {"the cat"}), 0);
  EXPECT_EQ(ter("the cat.", {"the cat"}), 50);
}

TEST(Ter, EmptyReferences) {
  EXPECT_EQ(ter("", {""}), 0);
  EXPECT_EQ(ter("a b", {""}), 100);
  EXPECT_EQ(counts("a b", {""}), (Metric::Counts{2, 0}));
}

TEST(Ter, SeveralReferencesShareTheirLength) {
  EXPECT_EQ(counts("a b c", {"a b c d", "a b c x y z"}), (Metric::Counts{1, 5}));
}

TEST(Ter, TextAndSignature) {
  EXPECT_EQ(Ter().text(counts("c a b", {"a b c"})), "TER = 33.33");
  EXPECT_EQ(Ter().signature(1),
            "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0");
}

// "w0 w1 w2 …", where words come again after so many.
std::vector<std::string> words_in_turn(size_t count, size_t different) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(fmt::format("w{}", i % different));
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(word).push_back(' ');
  return text;
}

// A table of all pairs of words would take 80 GB, and going through them half a minute.
TEST(Ter, ABookInOneLine) {
  constexpr size_t count = 100000;
  std::vector<std::string> words = words_in_turn(count, 997);
  const std::string reference = joined(words);
  words[10] = "different";
  std::rotate(words.begin() + 99000, words.begin() + 99003, words.begin() + 99020);
  EXPECT_EQ(counts(joined(words), {reference}), (Metric::Counts{2, count}));
}

// Each word could be moved to a hundred others in runs of ten lengths.
TEST(Ter, OneWordOverAndOver) {
  constexpr size_t count = 100000;
  std::vector<std::string> words = words_in_turn(count, 1);
  const std::string reference = joined(words);
  words[count - 1] = "different";
  EXPECT_EQ(counts(joined(words), {reference}), (Metric::Counts{1, count}));
}

}  // namespace
}  // namespace heed
