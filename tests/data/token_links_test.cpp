#include "heed/data/token_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "heed/base/characters.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::made_up_sentence;
using testing::small_vocabulary;

using Links = std::vector<TokenLink>;

TEST(SpacedWords, AreThoseThatTheAlignerCounts) {
  for (const std::string& text :
       {std::string("one two"), std::string("  one\u00a0two \u3000three  "), std::string(),
        std::string(" "), std::string("x"), std::string("b\xff c"), made_up_sentence(3)}) {
    const std::u32string characters = characters_of(text);
    const std::vector<std::u32string_view> expected = split_at_spaces(characters);
    const std::vector<TextRange> found = spaced_words(text);
    ASSERT_EQ(found.size(), expected.size()) << text;
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(characters_of(text.substr(found[i].begin, found[i].size())), expected[i]) << text;
  }
}

// What the pieces of a word spell.
std::string spelt(const Vocabulary& vocabulary, const std::string& text, int32_t token) {
  const TextRange range = vocabulary.encoded_ranges(text)[static_cast<size_t>(token)];
  return text.substr(range.begin, range.size());
}

TEST(TokenLinks, JoinAllPiecesOfLinkedWords) {
  const Vocabulary& vocabulary = small_vocabulary();
  const std::string source = "bakobaku zeit", target = "xylo  kobake ba";
  const Links links = token_links({source, target, "0-1 1-0"}, vocabulary, vocabulary);
  ASSERT_TRUE(std::is_sorted(links.begin(), links.end()));
  std::map<int32_t, std::string> sources_of;  // what each target piece is linked with
  for (const auto& [to, from] : links) sources_of[to] += spelt(vocabulary, source, from);
  std::string linked;
  for (const auto& [to, text] : sources_of) {
    const std::string piece = spelt(vocabulary, target, to);
    linked += piece;
    EXPECT_EQ(text, linked.size() <= 4 ? "zeit" : "bakobaku") << piece;
  }
  EXPECT_EQ(linked, "xylokobake");  // the last word has no link
  EXPECT_GT(sources_of.size(), 2u);
}

TEST(TokenLinks, AreEachThereOnce) {
  const Vocabulary& vocabulary = small_vocabulary();
  EXPECT_EQ(token_links({"ba ko", "ba ko", "0-0 0p0 0-0"}, vocabulary, vocabulary),
            token_links({"ba ko", "ba ko", "0-0"}, vocabulary, vocabulary));
  EXPECT_EQ(token_links({"ba", "ba", ""}, vocabulary, vocabulary), Links());
}

// A piece that is nothing but a space stands before a word that it belongs to.
TEST(TokenLinks, HoldSpacesThatArePieces) {
  const Vocabulary& vocabulary = small_vocabulary();
  const std::string text = "ba \u6f22";  // no piece begins with that character
  const std::vector<TextRange> pieces = vocabulary.encoded_ranges(text);
  ASSERT_EQ(pieces.size(), vocabulary.encode(text).size());
  const auto last = static_cast<int32_t>(pieces.size()) - 1;
  ASSERT_EQ(pieces[static_cast<size_t>(last) - 1].size(), 0u);
  const Links links = token_links({"ba", text, "0-1"}, vocabulary, vocabulary);
  ASSERT_FALSE(links.empty());
  EXPECT_EQ(links.front().target, last - 1);
  EXPECT_EQ(links.back().target, last);
}

}  // namespace
}  // namespace heed
