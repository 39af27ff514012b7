#include "heed/alignment/lexical_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/alignment/digamma.h"

namespace heed {
namespace {

struct Text {
  NumberedWords sources{0}, targets{0};
  std::vector<NumberedPair> pairs;

  void add(std::vector<std::u32string> source, std::vector<std::u32string> target) {
    pairs.push_back({sources.numbers(source), targets.numbers(target)});
  }
  LexicalTable table(Workers& workers) const {
    return LexicalTable(
        pairs.size(), [this](size_t i) -> Sentence { return pairs[i].source; },
        [this](size_t i) -> Sentence { return pairs[i].target; }, sources, targets, workers);
  }
};

TEST(LexicalTable, BeginsWithWhatWordsLookLike) {
  Workers workers(1);
  Text text;
  text.add({U"paris", U"big"}, {U"paris", U"grand"});
  const LexicalTable table = text.table(workers);
  // Pseudo-counts: 0.1, and 0.3 more for the same word.
  EXPECT_NEAR(table.probability(0, 0), 0.8, 1e-6);
  EXPECT_NEAR(table.probability(0, 1), 0.2, 1e-6);
  EXPECT_NEAR(table.probability(1, 0), 0.5, 1e-6);
  EXPECT_NEAR(table.probability(no_word, 1), 0.5, 1e-6);
}

TEST(LexicalTable, MaximisesByVariationalBayes) {
  Workers workers(2);
  Text text;
  text.add({U"big"}, {U"grand", U"vert"});
  LexicalTable table = text.table(workers);
  table.add(0, 0, 1.5);
  table.add(0, 0, 0.5);
  table.add(0, 1, 1);
  table.maximise(workers);
  EXPECT_NEAR(table.probability(0, 0), std::exp(digamma(2.1) - digamma(3.2)), 1e-6);
  EXPECT_NEAR(table.probability(0, 1), std::exp(digamma(1.1) - digamma(3.2)), 1e-6);
  // The counts have gone.
  table.maximise(workers);
  EXPECT_NEAR(table.probability(0, 0), std::exp(digamma(0.1) - digamma(0.2)), 1e-6);
}

TEST(LexicalTable, KnowsPairsThatItHasNotSeen) {
  Workers workers(1);
  Text text;
  text.add({U"big"}, {U"grand"});
  text.add({U"green"}, {U"vert"});
  LexicalTable table = text.table(workers);
  table.add(0, 0, 1);
  table.maximise(workers);
  const double scale = std::exp(digamma(1.1));
  EXPECT_NEAR(table.probability(0, 1), std::exp(digamma(0.1)) / scale, 1e-9) << "big, vert";
  const int32_t name = text.sources.number(U"zagreb"), same = text.targets.number(U"zagreb");
  EXPECT_NEAR(table.probability(name, same), std::exp(digamma(0.4)), 1e-9) << "new words";
  EXPECT_GT(table.probability(name, same), 100 * table.probability(name, 0));
  EXPECT_GT(table.probability(no_word, same), 0);
}

TEST(LexicalTable, ToleratesWordsThatAreInNoPair) {
  Workers workers(1);
  Text text;
  text.sources.number(U"nowhere");
  text.add({U"big"}, {U"grand"});
  LexicalTable table = text.table(workers);
  table.maximise(workers);
  EXPECT_TRUE(std::isfinite(table.probability(0, 0)));
}

// Many words in a row, so that places collide.
TEST(LexicalTable, FindsEveryPair) {
  Workers workers(2);
  Text text;
  std::vector<std::u32string> many;
  for (int i = 0; i < 3000; ++i) many.push_back(U"w" + std::u32string(1, char32_t(0x4E00 + i)));
  text.add({U"big", U"green"}, many);
  LexicalTable table = text.table(workers);
  for (int32_t target = 0; target < 3000; ++target) table.add(1, target, target % 7 + 1);
  table.maximise(workers);
  for (int32_t target = 7; target < 3000; ++target)
    EXPECT_EQ(table.probability(1, target), table.probability(1, target % 7)) << target;
  EXPECT_GT(table.probability(1, 6), table.probability(1, 5));
}

}  // namespace
}  // namespace heed
