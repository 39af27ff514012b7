#include "heed/metrics/alignment_error.h"

#include <gtest/gtest.h>

#include <set>

#include "error_of.h"
#include "heed/base/random.h"

namespace heed {
namespace {

using heed::testing::error_of;

using Links = std::vector<WordLink>;

TEST(AlignmentError, ReadsSureAndPossibleLinks) {
  const GoldLinks gold = parse_gold_links(" 2-2 0p1\t10-0 2-2 \r");
  EXPECT_EQ(gold.sure, (Links{{2, 2}, {10, 0}}));
  EXPECT_EQ(gold.possible, (Links{{0, 1}, {2, 2}, {10, 0}}));
  EXPECT_TRUE(parse_gold_links("").possible.empty());
  EXPECT_EQ(parse_gold_links("1p2 3-1", 1).possible, (Links{{0, 1}, {2, 0}}));
  EXPECT_EQ(parse_gold_links("1p2 3-1", 1).sure, (Links{{2, 0}}));
}

TEST(AlignmentError, RefusesWhatIsNoLink) {
  for (const char* text : {"1", "-", "1-", "-1", "1--2", "1-2-3", "1-2p", "a-1", "1 - 2", "1x2",
                           "99999999999999999999-1", "1-2,", "p"})
    EXPECT_NE(error_of([&] { parse_gold_links(text); }), "") << text;
  EXPECT_EQ(error_of([] { parse_gold_links("1-1 0-2", 1); }),
            "\"0-2\" is no link: expected SOURCE-TARGET, or SOURCEpTARGET for a possible one, with "
            "words counted from 1");
}

TEST(AlignmentError, CountsAgreement) {
  const GoldLinks gold = parse_gold_links("0-0 1-1 2p1");
  const AlignmentCounts counts = count_links(Links{{2, 1}, {0, 0}, {3, 3}, {0, 0}}, gold);
  EXPECT_EQ(counts, (AlignmentCounts{.found = 3, .sure = 2, .found_sure = 1, .found_possible = 2}));
  EXPECT_DOUBLE_EQ(counts.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(counts.recall(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(counts.error_rate(), 1 - 3.0 / 5);
  EXPECT_EQ(count_links(gold.sure, gold).error_rate(), 0);
  EXPECT_EQ(count_links(gold.possible, gold).error_rate(), 0);
  EXPECT_EQ(count_links({}, gold).error_rate(), 1);
  EXPECT_EQ(AlignmentCounts().error_rate(), 0);
  AlignmentCounts sum = counts;
  sum += counts;
  EXPECT_EQ(sum, (AlignmentCounts{.found = 6, .sure = 4, .found_sure = 2, .found_possible = 4}));
}

// Against sets, on links at random.
TEST(AlignmentError, EqualsItsDefinition) {
  Rng rng(7);
  for (int round = 0; round < 100; ++round) {
    std::set<WordLink> found, sure, possible;
    Links list;
    std::string line;
    for (int i = 0; i < 12; ++i) {
      const auto word = [&] { return static_cast<int64_t>(rng.below(4)); };
      list.push_back({word(), word()});
      found.insert(list.back());
      const WordLink drawn{word(), word()};
      const bool certain = rng.below(2) == 0;
      possible.insert(drawn);
      if (certain) sure.insert(drawn);
      line += fmt::format("{}{}{} ", drawn.source, certain ? '-' : 'p', drawn.target);
    }
    double found_sure = 0, found_possible = 0;
    for (const WordLink& link : found) {
      found_sure += static_cast<double>(sure.count(link));
      found_possible += static_cast<double>(possible.count(link));
    }
    const AlignmentCounts counts = count_links(list, parse_gold_links(line));
    const auto size = [](const auto& set) { return static_cast<double>(set.size()); };
    EXPECT_DOUBLE_EQ(counts.precision(), found_possible / size(found));
    EXPECT_DOUBLE_EQ(counts.recall(), sure.empty() ? 0 : found_sure / size(sure));
    EXPECT_DOUBLE_EQ(counts.error_rate(),
                     1 - (found_sure + found_possible) / (size(found) + size(sure)));
  }
}

}  // namespace
}  // namespace heed
