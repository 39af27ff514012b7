#include "heed/base/utf8_bytes.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Utf8Bytes, CountsCharactersOfAnyLength) {
  EXPECT_EQ(count_characters(""), 0);
  EXPECT_EQ(count_characters("abc"), 3);
  EXPECT_EQ(count_characters("a\u00fc\u6f22\U0001F600"), 4);
}

TEST(Utf8Bytes, OnlyFirstBytesBeginACharacter) {
  const std::string_view text = "a\u00fc";
  EXPECT_FALSE(is_inside_character(text[0]));
  EXPECT_FALSE(is_inside_character(text[1]));
  EXPECT_TRUE(is_inside_character(text[2]));
}

}  // namespace
}  // namespace heed
