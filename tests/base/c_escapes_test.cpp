#include "heed/base/c_escapes.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

// The byte, and what is left; "?" if there is no such escape.
std::string taken(std::string_view text) {
  const std::optional<char> byte = take_c_escape(text);
  return byte ? std::string(1, *byte) + "|" + std::string(text) : "?";
}

TEST(CEscapes, LettersAndNumbersStandForBytes) {
  EXPECT_EQ(taken("nb"), "\n|b");
  EXPECT_EQ(taken("\\"), "\\|");
  EXPECT_EQ(taken("x41B"), "A|B");
  EXPECT_EQ(taken("xfg"), "\x0f|g");
  EXPECT_EQ(taken("1011"), "A|1");
  EXPECT_EQ(taken("7"), "\a|");
}

TEST(CEscapes, OthersAreUnknown) {
  for (const char* text : {"", "q", "x", "xg", "777", "8", "u0041"}) EXPECT_EQ(taken(text), "?");
}

TEST(CEscapes, BytesHaveTheirLettersBack) {
  for (const char letter : std::string("ntrabfv\"\\?'")) {
    std::string_view text(&letter, 1);
    EXPECT_EQ(c_escape_letter(*take_c_escape(text)), letter);
  }
  EXPECT_FALSE(c_escape_letter('x').has_value());
}

}  // namespace
}  // namespace heed
