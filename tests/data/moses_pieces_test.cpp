#include "heed/data/moses_pieces.h"

#include <gtest/gtest.h>

#include <set>

namespace heed {
namespace {

MosesPieces pieces_for(const std::string& language) {
  return {{.language = language,
           .prefixes = {"Dr"},
           .merges = "#version: 0.2\nu n\ns e\nse e\nsee n</w>\n& a\np o\ns ;</w>\n"},
          "bpe.model"};
}

std::string spelt(const std::vector<MosesPieces::Piece>& pieces) {
  std::string all;
  for (const MosesPieces::Piece& piece : pieces) all += (all.empty() ? "" : " ") + piece.text;
  return all;
}

// By the rules of Argos Translate: normalise, tokenise, escape, merge.
TEST(MosesPieces, AreThoseOfArgosTranslate) {
  const MosesPieces pieces = pieces_for("en");
  EXPECT_EQ(spelt(pieces.split("unseen, “un”.")),
            "un@@ seen , &@@ q@@ u@@ o@@ t@@ ; u@@ n . &@@ q@@ u@@ o@@ t@@ ;");
  EXPECT_EQ(spelt(pieces.split("it's")), "i@@ t &a@@ po@@ s@@ ;@@ s");
  EXPECT_EQ(spelt(pieces.split("")), "");
  EXPECT_EQ(spelt(pieces.split(" \r\n\t")), "");
}

TEST(MosesPieces, KnowTheirBytes) {
  const std::string text = " unseen… Dr. ß";
  std::vector<std::string> parts;
  for (const MosesPieces::Piece& piece : pieces_for("en").split(text))
    parts.push_back(text.substr(piece.range.begin, piece.range.size()));
  EXPECT_EQ(parts, (std::vector<std::string>{"un", "seen", "…", "…", "…", "D", "r", ".", "ß"}));
}

TEST(MosesPieces, AreJoinedToText) {
  const std::vector<std::string> words = {"un@@", "seen", ",", "it", "&apos;s", "x@@"};
  const MosesPieces::Joined joined = pieces_for("en").join(words);
  EXPECT_EQ(joined.text, "unseen, it's x@@");  // nothing follows the last, so that it stays
  EXPECT_EQ(joined.ranges,
            (std::vector<TextRange>{{0, 2}, {2, 6}, {6, 7}, {8, 10}, {10, 12}, {13, 16}}));
  EXPECT_EQ(pieces_for("en").join({}).text, "");
}

// Of an escape that is in pieces, each has become the character.
TEST(MosesPieces, SeveralMayBecomeOneCharacter) {
  const std::vector<std::string> words = {"a", "&@@", "lt;", "b"};
  const MosesPieces::Joined joined = pieces_for("en").join(words);
  EXPECT_EQ(joined.text, "a < b");
  EXPECT_EQ(joined.ranges, (std::vector<TextRange>{{0, 1}, {2, 3}, {2, 3}, {4, 5}}));
}

TEST(MosesPieces, AVeryLongWordHasSpaces) {
  const std::string word(20'000, 'x');
  const MosesPieces pieces = pieces_for("en");
  const std::string cut =
      word.substr(0, 8192) + ' ' + word.substr(0, 8192) + ' ' + word.substr(0, 20'000 - 2 * 8192);
  EXPECT_EQ(spelt(pieces.split(word)), spelt(pieces.split(cut)));
  EXPECT_EQ(pieces.split(word).size(), word.size());
  EXPECT_EQ(pieces.split(word).back().range, (TextRange{19'999, 20'000}));
  // Words that are shorter stay whole in a long text.
  std::string sentence;
  for (int i = 0; i < 5000; ++i) sentence += "seen ";
  EXPECT_EQ(pieces.split(sentence).size(), 5000u);
}

TEST(MosesPieces, SamplesDependOnTheKeyOnly) {
  const MosesPieces pieces = pieces_for("en");
  std::set<std::string> seen;
  for (uint64_t i = 0; i < 50; ++i) {
    const std::string sample = spelt(pieces.sample("unseen seen", 0.3, make_key(i)));
    EXPECT_EQ(sample, spelt(pieces.sample("unseen seen", 0.3, make_key(i))));
    seen.insert(sample);
  }
  EXPECT_GT(seen.size(), 5u);
  EXPECT_EQ(spelt(pieces.sample("unseen", 0, make_key(1))), "un@@ seen");
}

}  // namespace
}  // namespace heed
