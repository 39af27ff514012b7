#include "heed/data/word_piece_training.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "made_up_input.h"

namespace heed {
namespace {

using testing::error_of;
using testing::made_up_sentences;

SentenceSource source_of(std::vector<std::string> sentences) {
  return [sentences = std::move(sentences), next = size_t{0}](std::string& sentence) mutable {
    if (next == sentences.size()) return false;
    sentence = sentences[next++];
    return true;
  };
}

WordPieces train(const WordPieceConfig& config, std::vector<std::string> sentences) {
  return train_word_pieces(config, source_of(std::move(sentences)));
}

std::vector<std::string> pieces_of(const WordPieces& pieces, std::string_view text) {
  std::vector<std::string> spelt;
  for (const int32_t id : pieces.encode(text)) spelt.push_back(pieces.piece(id));
  return spelt;
}

using Pieces = std::vector<std::string>;

TEST(WordPieceTraining, FrequentWordsAreWholeAndOthersArePieces) {
  std::vector<std::string> sentences(50, "the player played, playing");
  sentences.emplace_back("lily");
  const WordPieces pieces = train({.size = 31}, sentences);
  EXPECT_EQ(pieces_of(pieces, "The player, playing"),
            (Pieces{"[CLS]", "the", "player", ",", "playing", "[SEP]"}));
  EXPECT_EQ(pieces_of(pieces, "lily"), (Pieces{"[CLS]", "l", "##i", "##l", "##y", "[SEP]"}));
  EXPECT_EQ(pieces_of(pieces, "z"), (Pieces{"[CLS]", "[UNK]", "[SEP]"}));
}

TEST(WordPieceTraining, TheSpecialTokensComeFirst) {
  const WordPieces pieces = train({}, made_up_sentences(100));
  const Pieces expected = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(pieces.piece(static_cast<int32_t>(i)), expected[i]);
  EXPECT_EQ(pieces.unknown(), 1);
  EXPECT_EQ(pieces_of(pieces, "[MASK]"), (Pieces{"[CLS]", "[MASK]", "[SEP]"}));
}

TEST(WordPieceTraining, EveryTextThatWasSeenCanBeSpelt) {
  const std::vector<std::string> sentences = {"Straße 漢字かな ▁ \"x\"", "naïve 12ab",
                                              std::string(200, 'q')};
  for (const bool lowercase : {true, false}) {
    const WordPieces pieces = train({.lowercase = lowercase}, sentences);
    for (const std::string text : {"Straße 漢字かな \"x\"", "naïve 12ab"})
      for (const int32_t id : pieces.encode(text)) EXPECT_NE(id, pieces.unknown()) << text;
  }
}

TEST(WordPieceTraining, KeepsCaseIfAsked) {
  const std::vector<std::string> sentences(20, "Été été");
  EXPECT_EQ(pieces_of(train({}, sentences), "Été"), (Pieces{"[CLS]", "ete", "[SEP]"}));
  EXPECT_EQ(pieces_of(train({.lowercase = false}, sentences), "Été été"),
            (Pieces{"[CLS]", "Été", "été", "[SEP]"}));
}

TEST(WordPieceTraining, GivesTheSizeThatWasAskedForAndTheSameBytesAgain) {
  for (const int size : {60, 200, 500}) {
    const WordPieces pieces = train({.size = size}, made_up_sentences(2000));
    EXPECT_EQ(pieces.size(), size);
    EXPECT_EQ(pieces.json(), train({.size = size}, made_up_sentences(2000)).json());
  }
}

TEST(WordPieceTraining, SaysWhichSizesWork) {
  const std::vector<std::string> sentences = {"aa ab", "ba"};
  EXPECT_EQ(error_of([&] { train({.size = 8}, sentences); }),
            "8 word pieces are too few for the characters of the text: 9 are the fewest");
  EXPECT_EQ(train({.size = 9}, sentences).size(), 9);
  const std::string refusal = error_of([&] { train({.size = 1000}, sentences); });
  constexpr std::string_view start = "1000 word pieces are more than the text supports: ";
  ASSERT_EQ(refusal.substr(0, start.size()), start);
  const int most = std::stoi(refusal.substr(start.size()));
  EXPECT_EQ(train({.size = most}, sentences).size(), most);
  EXPECT_EQ(train({}, sentences).size(), most);
  EXPECT_EQ(error_of([&] { train({}, {"", "  "}); }), "there is no text to learn word pieces from");
}

}  // namespace
}  // namespace heed
