#include "heed/data/word_vocabulary.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;
using Words = std::vector<std::string>;
using Ids = std::vector<int32_t>;

TEST(WordVocabulary, NumbersTheWordsInTheirOrder) {
  const Vocabulary vocabulary = word_vocabulary(Words{"zwei", "eins", "ø", "<blank>"});
  EXPECT_EQ(vocabulary.size(), 2 + 4 + 1);
  EXPECT_EQ(vocabulary.encode("eins ø zwei <blank>"), (Ids{3, 4, 2, 5}));
  EXPECT_EQ(vocabulary.decode(Ids{4, 3, 2, 0, 4}), "ø eins zwei");
  EXPECT_EQ(vocabulary.piece(3), "▁eins");
  EXPECT_EQ(piece_of_word("eins"), "▁eins");
}

TEST(WordVocabulary, DoesNotKnowOtherWordsOrParts) {
  const Vocabulary vocabulary = word_vocabulary(Words{"a", "ab"});
  EXPECT_EQ(vocabulary.encode("ab b a"), (Ids{3, Vocabulary::unknown, 2}));
  EXPECT_EQ(vocabulary.encode("aab"), (Ids{Vocabulary::unknown}));
  EXPECT_TRUE(vocabulary.encode("").empty());
}

// As many ids as words: perplexities per word would not be comparable otherwise.
TEST(WordVocabulary, UnknownWordsInARowStaySeparate) {
  const Vocabulary vocabulary = word_vocabulary(Words{"a", "b"});
  constexpr int32_t unknown = Vocabulary::unknown;
  EXPECT_EQ(vocabulary.encode("x y a z <unk>  x b"),
            (Ids{unknown, unknown, 2, unknown, unknown, unknown, 3}));
  std::string many;
  for (int i = 0; i < 10000; ++i) many += i == 0 ? "xy" : " xy";
  EXPECT_EQ(vocabulary.encode(many), Ids(10000, unknown));
}

TEST(WordVocabulary, MayHaveTokensThatAreNoWords) {
  const Vocabulary vocabulary = with_more_pieces(word_vocabulary(Words{"a", "b"}), Words{">>c<<"});
  EXPECT_EQ(vocabulary.piece(4), ">>c<<");
  EXPECT_EQ(vocabulary.encode("b >>c<<"), (Ids{3, Vocabulary::unknown}));
  EXPECT_TRUE(is_word_vocabulary(vocabulary));
  EXPECT_FALSE(is_word_vocabulary(with_more_pieces(vocabulary, Words{"ing"})));
  EXPECT_EQ(word_of_piece("▁a"), "a");
  EXPECT_EQ(word_of_piece(">>c<<"), ">>c<<");
}

TEST(WordVocabulary, SurvivesBeingSaved) {
  const Vocabulary vocabulary = word_vocabulary(Words{"a", "b"});
  EXPECT_EQ(Vocabulary::from_bytes(vocabulary.bytes()).encode("b a"), vocabulary.encode("b a"));
}

TEST(WordVocabulary, RefusesWhatIsNoWord) {
  EXPECT_EQ(error_of([] {
              (void)word_vocabulary(Words{"a", "b", "a"}, "list");
            }),
            "list: the word \"a\" occurs twice");
  for (const char* word : {"", "a b", "\xff"})
    EXPECT_NE(error_of([&] { (void)word_vocabulary(Words{word}, "list"); }).find("is not a word"),
              std::string::npos)
        << word;
}

}  // namespace
}  // namespace heed
