#include "heed/data/moses_characters.h"

#include <gtest/gtest.h>

namespace heed::moses {
namespace {

template <typename Class>
int64_t count(const Class& has) {
  int64_t found = 0;
  for (char32_t c = 0; c < 0x110000; ++c) found += has(c);
  return found;
}

// As many as the lists of sacremoses 0.1.1 have, which are those of Unicode 7 and 9.
TEST(MosesCharacters, AreAsManyAsInTheListsOfSacremoses) {
  EXPECT_EQ(count(is_letter), 10286);
  EXPECT_EQ(count([](char32_t c) { return is_letter(c) || is_digit(c); }), 10656);
  EXPECT_EQ(count(is_number), 712);
  EXPECT_EQ(count(is_lowercase), 2253);
  EXPECT_EQ(count(is_currency), 52);
  EXPECT_EQ(count([](char32_t c) { return is_letter_of("zh", c); }), 82014);
  EXPECT_EQ(count([](char32_t c) { return is_letter_of("ko", c); }), 11775);
  EXPECT_EQ(count([](char32_t c) { return is_letter_of("en", c); }), 0);
  EXPECT_EQ(count(is_joining_sign), 63);
}

TEST(MosesCharacters, AreOfTheirClasses) {
  for (const char32_t c : U"azAZßÉжकあア")
    EXPECT_EQ(is_letter(c), c != 0) << static_cast<uint32_t>(c);
  for (const char32_t c : U"0_-'猫한\u0900\u094d€😀") EXPECT_EQ(is_letter(c), c == 0x900);
  EXPECT_TRUE(is_digit(U'٣') && is_number(U'½') && is_number(U'Ⅷ'));
  EXPECT_FALSE(is_digit(U'½') || is_number(U'a') || is_number(U'〇'));
  EXPECT_TRUE(is_lowercase(U'ß') && !is_lowercase(U'É') && !is_lowercase(U'ა'));
  EXPECT_TRUE(is_currency(U'$') && is_currency(U'€') && !is_currency(U'₿'));  // of Unicode 10
  EXPECT_TRUE(is_letter_of("ja", U'猫') && is_letter_of("ja", U'ネ') && !is_letter_of("zh", U'ネ'));
  EXPECT_TRUE(is_cjk(U'猫') && is_cjk(U'한') && is_cjk(U'。') && !is_cjk(U'a'));
}

}  // namespace
}  // namespace heed::moses
