#include "heed/data/piece_text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(PieceText, TidiesSpacesAndShowsThem) {
  const auto text = [](std::string_view given) { return piece_text(given, {}); };
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("  "), "");
  EXPECT_EQ(text("a b"), "▁a▁b");
  EXPECT_EQ(text("  a   b "), "▁a▁b");
  EXPECT_EQ(text("a\tb"), "▁a\tb");
  EXPECT_EQ(text("a\xff"), "▁a\uFFFD");
  EXPECT_EQ(text("é😀"), "▁é😀");
}

TEST(PieceText, DoesAsTheModelSays) {
  EXPECT_EQ(piece_text(" a  b ", {.removes_extra_spaces = false}), "▁▁a▁▁b▁");
  EXPECT_EQ(piece_text("a b", {.adds_space_in_front = false}), "a▁b");
  EXPECT_EQ(piece_text("a b", {.shows_spaces = false}), " a b");
  EXPECT_EQ(piece_text("a b", {.has_space_after_word = true}), "a▁b▁");
}

}  // namespace
}  // namespace heed
