#include "heed/runs/viewed_tokens.h"

#include <gtest/gtest.h>

#include "small_vocabulary.h"
#include "small_word_pieces.h"

namespace heed {
namespace {

TEST(ViewedTokens, OfAVocabularyHaveWordsBetweenSpaces) {
  const Vocabulary& vocabulary = heed::testing::small_vocabulary();
  std::vector<int32_t> ids = vocabulary.encode("ba ko");
  ids.push_back(Vocabulary::end);
  const ViewedTokens tokens = viewed_tokens("ba ko", ids, vocabulary);
  EXPECT_EQ(tokens.text, "ba ko");
  EXPECT_EQ(tokens.pieces.size(), ids.size());
  EXPECT_EQ(tokens.words.front(), 0);
  EXPECT_EQ(tokens.words[ids.size() - 2], 1);
  EXPECT_EQ(tokens.words.back(), -1);
  EXPECT_EQ(tokens.continuation, "");
  EXPECT_FALSE(tokens.has_no_words());
}

TEST(ViewedTokens, OfWordPiecesHaveTheWordsThatTheyContinue) {
  const WordPieces pieces = WordPieces::from_json(heed::testing::small_tokenizer_json());
  const ViewedTokens tokens =
      viewed_tokens("abb, playing", pieces.encode("abbbb, playing x"), pieces);
  EXPECT_EQ(tokens.pieces, (std::vector<std::string>{"[CLS]", "ab", "##bb", "##b", ",", "play",
                                                     "##ing", "[UNK]", "[SEP]"}));
  EXPECT_EQ(tokens.words, (std::vector<int64_t>{-1, 0, 0, 0, 1, 2, 2, 3, -1}));
  EXPECT_EQ(tokens.continuation, "##");
  EXPECT_TRUE(viewed_tokens("", pieces.encode(""), pieces).has_no_words());
  // A piece that has nothing to continue is a word.
  EXPECT_EQ(viewed_tokens("", std::vector<int32_t>{2, 6, 5}, pieces).words,
            (std::vector<int64_t>{-1, 0, 1}));
}

}  // namespace
}  // namespace heed
