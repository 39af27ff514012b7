#include "heed/alignment/word_aligner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "heed/alignment/digamma.h"

namespace heed {
namespace {

std::vector<std::u32string> words_in(const std::string& text) {
  std::vector<std::u32string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.emplace_back(word.begin(), word.end());
  return words;
}

struct Text {
  NumberedWords sources{5}, targets{5};
  std::vector<NumberedPair> pairs;

  NumberedPair pair(const std::string& source, const std::string& target) {
    return {sources.numbers(words_in(source)), targets.numbers(words_in(target))};
  }
  void add(const std::string& source, const std::string& target) {
    pairs.push_back(pair(source, target));
  }
};

// The first round by hand. "p q" is "x y", and "p" is "x".
TEST(DirectedAligner, CountsAndMaximisesAsOnPaper) {
  Workers workers(1);
  Text text;
  text.add("p q", "x y");
  text.add("p", "x");
  DirectedAligner aligner(LexicalTable(
      2, [&](size_t i) -> Sentence { return text.pairs[i].source; },
      [&](size_t i) -> Sentence { return text.pairs[i].target; }, text.sources, text.targets,
      workers));
  Posteriors found;
  for (const NumberedPair& pair : text.pairs) {
    aligner.align(pair.source, pair.target, false, true, found);
    aligner.add_counts(pair.source, pair.target, found);
  }
  aligner.maximise(false, workers);
  // At first, all words are equally probable, so the posteriors are the prior: 0.08 for none, and
  // 0.92 for words that are 0 or 1/2 away from the diagonal, with a tension of 4.
  const double near = 1 / (1 + std::exp(-2.0)), far = 1 - near;
  const double p_x = 0.92 * near + 0.92, p_y = 0.92 * far, none_x = 0.16, none_y = 0.08;
  const double x_of_p = std::exp(digamma(p_x + 0.1) - digamma(p_x + p_y + 0.2));
  const double x_of_none = std::exp(digamma(none_x + 0.1) - digamma(none_x + none_y + 0.2));
  aligner.align(text.pairs[1].source, text.pairs[1].target, false, false, found);
  const double none = 0.08 * x_of_none, p = 0.92 * x_of_p;
  EXPECT_NEAR(found.none(0), none / (none + p), 1e-6);
  EXPECT_NEAR(found.at(0, 0), p / (none + p), 1e-6);
}

// A language whose adjectives follow their nouns.
Text colours() {
  Text text;
  const std::vector<std::pair<std::string, std::string>> nouns = {{"house", "maison"},
                                                                  {"car", "voiture"},
                                                                  {"dog", "chien"},
                                                                  {"tree", "arbre"},
                                                                  {"book", "livre"}},
                                                         adjectives = {{"green", "vert"},
                                                                       {"red", "rouge"},
                                                                       {"big", "grand"},
                                                                       {"new", "neuf"}};
  for (const auto& [noun, nom] : nouns)
    for (const auto& [adjective, adjectif] : adjectives) {
      text.add("the " + adjective + " " + noun, "la " + nom + " " + adjectif);
      text.add("a " + noun + " is " + adjective, "une " + nom + " est " + adjectif);
    }
  return text;
}

using Links = std::vector<WordLink>;

TEST(WordAligner, FindsWhatTranslatesWhat) {
  Workers workers(1);
  Text text = colours();
  WordAligner aligner(text.pairs, text.sources, text.targets, workers);
  const Links crossed = {{0, 0}, {1, 2}, {2, 1}}, straight = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  for (const Symmetrisation method : every_symmetrisation) {
    EXPECT_EQ(aligner.links(text.pairs[0], method), crossed) << name_of(method);
    EXPECT_EQ(aligner.links(text.pairs[1], method), straight) << name_of(method);
  }
  EXPECT_EQ(aligner.agreed_links(text.pairs[0]), crossed);
}

TEST(WordAligner, KnowsHowProbableLinksAre) {
  Workers workers(1);
  Text text = colours();
  WordAligner aligner(text.pairs, text.sources, text.targets, workers);
  Links probable;
  for (const auto& [link, probability] : aligner.probable_links(text.pairs[0], 0.9)) {
    EXPECT_GE(probability, 0.9);
    EXPECT_LE(probability, 1 + 1e-9);
    probable.push_back(link);
  }
  EXPECT_EQ(probable, (Links{{0, 0}, {1, 2}, {2, 1}}));
  EXPECT_EQ(aligner.probable_links(text.pairs[0], 0).size(), 9u) << "all";
}

TEST(WordAligner, LinksPairsThatItHasNotSeen) {
  Workers workers(1);
  Text text = colours();
  WordAligner aligner(text.pairs, text.sources, text.targets, workers);
  const NumberedPair other = text.pair("a red zagreb is big", "une zagreb rouge est grand");
  EXPECT_EQ(aligner.agreed_links(other), (Links{{0, 0}, {1, 2}, {2, 1}, {3, 3}, {4, 4}}));
}

TEST(WordAligner, IgnoresPairsWithAnEmptySide) {
  Workers workers(1);
  Text text = colours(), with_empty = colours();
  with_empty.pairs.insert(with_empty.pairs.begin(), NumberedPair{{0, 1}, {}});
  with_empty.pairs.push_back({{}, {0}});
  with_empty.pairs.emplace_back();
  WordAligner one(text.pairs, text.sources, text.targets, workers);
  WordAligner other(with_empty.pairs, with_empty.sources, with_empty.targets, workers);
  for (const NumberedPair& pair : text.pairs)
    EXPECT_EQ(one.agreed_links(pair), other.agreed_links(pair));
  for (const NumberedPair& pair : {NumberedPair{{0}, {}}, NumberedPair{{}, {0}}, NumberedPair{}}) {
    EXPECT_EQ(other.agreed_links(pair), Links());
    EXPECT_EQ(other.links(pair, Symmetrisation::unite), Links());
  }
}

TEST(WordAligner, LearnsFromNothing) {
  Workers workers(1);
  Text text;
  WordAligner aligner(text.pairs, text.sources, text.targets, workers);
  const NumberedPair pair = text.pair("paris", "paris");
  EXPECT_LE(aligner.agreed_links(pair).size(), 1u);
}

// Text without a pattern, so that nothing is certain and every digit counts.
Text noise() {
  Text text;
  uint32_t state = 1;
  const auto sentence = [&] {
    std::string words;
    state = state * 1664525 + 1013904223;
    const uint32_t length = 1 + (state >> 20) % 12;
    for (uint32_t i = 0; i < length; ++i) {
      state = state * 1664525 + 1013904223;
      words += std::string(1, static_cast<char>('a' + (state >> 20) % 26)) + " ";
    }
    return words;
  };
  for (int i = 0; i < 700; ++i) {
    const std::string source = sentence();
    text.add(source, sentence());
  }
  return text;
}

TEST(WordAligner, FindsTheSameOnAnyNumberOfThreads) {
  const Text text = noise();
  const auto all_links = [&](int threads) {
    Workers workers(threads);
    WordAligner aligner(text.pairs, text.sources, text.targets, workers);
    std::vector<Links> links;
    for (const NumberedPair& pair : text.pairs) {
      links.push_back(aligner.agreed_links(pair));
      links.push_back(aligner.links(pair, Symmetrisation::unite));
    }
    return links;
  };
  const std::vector<Links> alone = all_links(1);
  EXPECT_EQ(all_links(2), alone);
  EXPECT_EQ(all_links(4), alone);
}

TEST(WordAligner, TellsItsProgress) {
  Workers workers(1);
  const Text text = colours();
  std::vector<int> rounds;
  const WordAligner aligner(text.pairs, text.sources, text.targets, workers,
                            {.diagonal_rounds = 2, .jump_rounds = 1}, [&](int round, int all) {
                              EXPECT_EQ(all, 3);
                              rounds.push_back(round);
                            });
  EXPECT_EQ(rounds, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace heed
