#include "heed/alignment/numbered_words.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(NumberedWords, GiveOneNumberToTheFormsOfAWord) {
  NumberedWords words(5);
  const std::vector<std::u32string> sentence = {U"The", U"houses", U"of", U"the", U"house"};
  EXPECT_EQ(words.numbers(sentence), (std::vector<int32_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(words.size(), 3);
  EXPECT_EQ(words.form(1), U"house");
}

TEST(NumberedWords, DistinguishAllCharactersIfAsked) {
  NumberedWords words(0);
  EXPECT_NE(words.number(U"houses"), words.number(U"house"));
}

}  // namespace
}  // namespace heed
