#include "heed/data/added_tokens.h"

#include <gtest/gtest.h>

#include "heed/base/characters.h"

namespace heed {
namespace {

// "a|1|b": the parts and the ids of the tokens between them.
std::string shown(const AddedTokens& tokens, std::string_view text) {
  const std::u32string characters = characters_of(text);
  const AddedTokens::Split split = tokens.split(characters);
  EXPECT_EQ(split.parts.size(), split.tokens.size() + 1);
  std::string result = text_of(split.parts[0]);
  for (size_t i = 0; i < split.tokens.size(); ++i)
    result += "|" + std::to_string(split.tokens[i]) + "|" + text_of(split.parts[i + 1]);
  return result;
}

TEST(AddedTokens, AreFoundFromLeftToRightTheLongestFirst) {
  AddedTokens tokens;
  tokens.add({U"[A]", 1});
  tokens.add({U"[A]b", 2});
  tokens.add({U"]", 3});
  EXPECT_EQ(shown(tokens, "x[A]y"), "x|1|y");
  EXPECT_EQ(shown(tokens, "[A]b[A]"), "|2||1|");
  EXPECT_EQ(shown(tokens, "[a]"), "[a|3|");
  EXPECT_EQ(shown(tokens, "[A"), "[A");
  EXPECT_EQ(shown(tokens, ""), "");
}

TEST(AddedTokens, OfTheSameTextTheFirstCounts) {
  AddedTokens tokens;
  tokens.add({U"x", 1});
  tokens.add({U"x", 2});
  EXPECT_EQ(shown(tokens, "x"), "|1|");
}

TEST(AddedTokens, MayWantToBeWholeWords) {
  AddedTokens tokens;
  tokens.add({.text = U"it", .id = 1, .whole_word = true});
  EXPECT_EQ(shown(tokens, "it item bit_ éit it."), "|1| item bit_ éit |1|.");
}

TEST(AddedTokens, MayTakeTheSpacesAroundThem) {
  AddedTokens tokens;
  tokens.add({.text = U"<l>", .id = 1, .takes_spaces_before = true});
  tokens.add({.text = U"<r>", .id = 2, .takes_spaces_after = true});
  EXPECT_EQ(shown(tokens, "a \t<l> b <r>  c"), "a|1| b |2|c");
  EXPECT_EQ(shown(tokens, "<r> <l>"), "|2||1|");  // the space belongs to the first
}

}  // namespace
}  // namespace heed
