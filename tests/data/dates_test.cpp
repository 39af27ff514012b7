#include "heed/data/dates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace heed {
namespace {

using namespace std::chrono_literals;

Date date_of(std::string_view iso) { return parse_iso_date(iso).value(); }

bool is_written(std::string_view iso, std::string_view written) {
  const std::vector<std::string> ways = ways_to_write(date_of(iso));
  return std::ranges::find(ways, written) != ways.end();
}

TEST(Dates, IsoDatesGoBothWays) {
  EXPECT_EQ(iso_date(1979y / 5 / 3), "1979-05-03");
  EXPECT_EQ(parse_iso_date("1979-05-03"), std::optional(1979y / 5 / 3));
  for (std::chrono::sys_days day = 1900y / 1 / 1; day < 2100y / 1 / 1; day += std::chrono::days(1))
    ASSERT_EQ(parse_iso_date(iso_date(day)), std::optional(Date(day)));
}

TEST(Dates, ParsesNothingElse) {
  for (const std::string_view text :
       {"", "1979-05-3", "1979-5-03", "79-05-03", "1979/05/03", "1979-05-032", "1979-13-01",
        "1979-00-10", "1979-04-31", "1979-02-29", "1900-02-29", "1979-05-00", "+979-05-03",
        "1979-0a-03", "1979-05- 3"})
    EXPECT_FALSE(parse_iso_date(text)) << text;
  EXPECT_TRUE(parse_iso_date("2000-02-29"));
  EXPECT_TRUE(parse_iso_date("1996-02-29"));
}

TEST(Dates, WritesEveryLanguageAndStyle) {
  const std::vector<std::string> expected{
      "May 3, 1979", "May 3rd, 1979", "3 May 1979", "3rd of May 1979", "the 3rd of May, 1979",
      "Thursday, May 3, 1979", "Thursday, May 3rd, 1979", "Thursday, 3 May 1979", "3 May 1979",
      "May 3, 1979",
      //
      "3 mai 1979", "le 3 mai 1979", "jeudi 3 mai 1979", "le jeudi 3 mai 1979",
      //
      "3. Mai 1979", "am 3. Mai 1979", "Donnerstag, 3. Mai 1979", "Donnerstag, den 3. Mai 1979",
      "03.05.1979", "den 03.05.1979",
      //
      "3 de mayo de 1979", "el 3 de mayo de 1979", "jueves, 3 de mayo de 1979",
      "el jueves 3 de mayo de 1979",
      //
      "3 maggio 1979", "il 3 maggio 1979", "giovedì 3 maggio 1979",
      //
      "3 de maio de 1979", "em 3 de maio de 1979", "quinta-feira, 3 de maio de 1979",
      //
      "3 mei 1979", "op 3 mei 1979", "donderdag 3 mei 1979",
      //
      "3 maj 1979", "den 3 maj 1979", "torsdagen den 3 maj 1979",
      //
      "3. maj 1979", "den 3. maj 1979", "torsdag den 3. maj 1979",
      //
      "3 maja 1979", "3 maja 1979 r.", "czwartek, 3 maja 1979",
      //
      "3. toukokuuta 1979", "torstaina 3. toukokuuta 1979"};
  EXPECT_EQ(ways_to_write(1979y / 5 / 3), expected);
}

TEST(Dates, KnowsTheWeekdays) {
  EXPECT_TRUE(is_written("1969-07-20", "Sunday, July 20, 1969"));
  EXPECT_TRUE(is_written("2000-02-29", "mardi 29 février 2000"));
  EXPECT_TRUE(is_written("1900-01-01", "Montag, 1. Januar 1900"));
  EXPECT_TRUE(is_written("2024-02-29", "el jueves 29 de febrero de 2024"));
  EXPECT_TRUE(is_written("2099-12-31", "giovedì 31 dicembre 2099"));
}

TEST(Dates, KnowsTheGrammarOfDays) {
  EXPECT_TRUE(is_written("1999-09-01", "le 1er septembre 1999"));
  EXPECT_FALSE(is_written("1999-09-01", "le 1 septembre 1999"));
  EXPECT_TRUE(is_written("1999-09-21", "le 21 septembre 1999"));
  EXPECT_TRUE(is_written("1999-06-01", "il 1º giugno 1999"));
  EXPECT_TRUE(is_written("1999-06-08", "l'8 giugno 1999"));
  EXPECT_TRUE(is_written("1999-06-11", "l'11 giugno 1999"));
  EXPECT_TRUE(is_written("1999-06-18", "il 18 giugno 1999"));
  EXPECT_TRUE(is_written("1999-06-01", "1º de junho de 1999"));
  const std::map<int, std::string> ordinals{{1, "1st"},   {2, "2nd"},   {3, "3rd"},   {4, "4th"},
                                            {10, "10th"}, {11, "11th"}, {12, "12th"}, {13, "13th"},
                                            {20, "20th"}, {21, "21st"}, {22, "22nd"}, {23, "23rd"},
                                            {30, "30th"}, {31, "31st"}};
  for (const auto& [day, ordinal] : ordinals)
    EXPECT_TRUE(is_written(iso_date(1999y / 8 / day), "August " + ordinal + ", 1999")) << ordinal;
}

// No two dates are written alike, so a source determines its target.
TEST(Dates, AreUnambiguous) {
  std::map<std::string, Date> found;
  for (std::chrono::sys_days day = 1996y / 1 / 1; day < 2000y / 1 / 1; day += std::chrono::days(1))
    for (const std::string& written : ways_to_write(day)) {
      const auto [place, is_new] = found.emplace(written, day);
      ASSERT_TRUE(is_new || place->second == Date(day)) << written;
    }
}

TEST(Dates, RandomPairsBelongTogether) {
  Rng rng(1);
  std::set<std::string> seen;
  for (int i = 0; i < 3000; ++i) {
    const DatePair pair = random_date(rng, i % 2 == 0 ? DateUse::training : DateUse::test);
    const std::optional<Date> date = parse_iso_date(pair.iso);
    ASSERT_TRUE(date) << pair.iso;
    EXPECT_GE(static_cast<int>(date->year()), 1900);
    EXPECT_LT(static_cast<int>(date->year()), 2100);
    EXPECT_TRUE(is_written(pair.iso, pair.written)) << pair.written << " is not " << pair.iso;
    seen.insert(pair.iso);
  }
  EXPECT_GT(seen.size(), 2500u);
}

TEST(Dates, TestDatesAreNotTrainedOn) {
  Rng rng(2);
  for (int i = 0; i < 1000; ++i)
    for (const DateUse use : {DateUse::training, DateUse::test})
      ASSERT_EQ(use_of(date_of(random_date(rng, use).iso)), use);
  int tests = 0, days = 0;
  for (std::chrono::sys_days day = 1900y / 1 / 1; day < 2100y / 1 / 1;
       day += std::chrono::days(1), ++days)
    if (use_of(day) == DateUse::test) ++tests;
  EXPECT_NEAR(static_cast<double>(tests) / days, 0.1, 0.005);
}

TEST(Dates, AreAFunctionOfTheRng) {
  Rng one(3), same(3), other(4);
  const std::string written = random_date(one, DateUse::training).written;
  EXPECT_EQ(random_date(same, DateUse::training).written, written);
  EXPECT_NE(random_date(other, DateUse::training).written, written);
}

}  // namespace
}  // namespace heed
