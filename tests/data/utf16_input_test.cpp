#include "heed/data/utf16_input.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

std::string bytes_of(const std::u16string& text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

std::string decoded(const std::string& bytes, bool big_endian) {
  return read_all(*decode_utf16(BufferedInput(input_of(bytes)), big_endian));
}

TEST(Utf16Input, BecomesUtf8) {
  for (const bool big_endian : {false, true}) {
    EXPECT_EQ(decoded("", big_endian), "");
    EXPECT_EQ(
        decoded(bytes_of(u"a\u007f\u0080é\u07ff\u0800€\uffff😀\U0010ffff", big_endian), big_endian),
        "a\u007f\u0080é\u07ff\u0800€\uffff😀\U0010ffff");
  }
}

TEST(Utf16Input, LongTextIsReadInParts) {
  std::u16string text;
  std::string expected;
  for (int i = 0; i < 100'000; ++i) {
    text += u"x😀";
    expected += "x😀";
  }
  EXPECT_EQ(decoded(bytes_of(text, false), false), expected);
}

// So that a broken line of UTF-16 is counted or dropped like one of UTF-8.
TEST(Utf16Input, WhatIsNoCharacterIsNotUtf8Either) {
  const std::u16string lone_high = {u'a', 0xD800, u'b'}, lone_low = {u'a', 0xDC00, u'b'},
                       high_at_end = {0xD800};
  EXPECT_EQ(decoded(bytes_of(lone_high, false), false),
            "a\xFF"
            "b");
  EXPECT_EQ(decoded(bytes_of(lone_low, true), true),
            "a\xFF"
            "b");
  EXPECT_EQ(decoded(bytes_of(high_at_end, true), true), "\xFF");
  EXPECT_EQ(decoded(bytes_of(u"a", false) + "b", false), "a\xFF");
}

}  // namespace
}  // namespace heed
