#include "heed/data/tag_name.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(TagName, IsAWordWithOrWithoutBrackets) {
  EXPECT_EQ(tag_name("legal"), "legal");
  EXPECT_EQ(tag_name(">>legal<<"), "legal");
  EXPECT_EQ(tag_name("zho_Hans"), "zho_Hans");
  EXPECT_EQ(tag_name("法律"), "法律");
  EXPECT_EQ(tag_name(std::string(64, 'a')), std::string(64, 'a'));
}

TEST(TagName, IsNothingElse) {
  for (const char* word : {"", "two words", "no\u00a0break", "tab\t", "\x1b[m", "\xff", "<legal>",
                           ">>legal", "legal<<", ">><<", ">> <<", ">>a>>b<<"})
    EXPECT_FALSE(tag_name(word)) << word;
  EXPECT_FALSE(tag_name(std::string(65, 'a')));
}

TEST(TagName, IsBetweenTheBracketsOfItsToken) {
  EXPECT_EQ(token_of_tag("fra"), ">>fra<<");
  EXPECT_EQ(tag_of_token(">>fra<<"), "fra");
  for (const char* piece : {"fra", "▁>>fra<<", "<<fra>>", ">><<", ">>a b<<", ">><", ">>"})
    EXPECT_FALSE(tag_of_token(piece)) << piece;
}

}  // namespace
}  // namespace heed
