#include "heed/data/word_pieces.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "external_data.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "small_word_pieces.h"

namespace heed {
namespace {

using testing::error_of;
using Ids = std::vector<int32_t>;

WordPieces small() { return WordPieces::from_json(testing::small_tokenizer_json()); }

TEST(WordPieces, TakeTheLongestPieceFromTheLeft) {
  EXPECT_EQ(small().encode("the playing played"), (Ids{2, 8, 5, 6, 5, 7, 3}));
  EXPECT_EQ(small().encode("abbb ab a"), (Ids{2, 13, 12, 13, 10, 3}));
}

TEST(WordPieces, AWordThatHasAnUnknownPartIsUnknown) {
  EXPECT_EQ(small().encode("playx the"), (Ids{2, 1, 8, 3}));
  EXPECT_EQ(small().encode("ing"), (Ids{2, 1, 3}));  // known only inside a word
}

TEST(WordPieces, AWordThatIsTooLongIsUnknown) {
  const std::string longest = "a" + std::string(19, 'b');
  EXPECT_EQ(small().encode(longest).size(), 12u);
  EXPECT_EQ(small().encode(longest + "b"), (Ids{2, 1, 3}));
}

TEST(WordPieces, NormaliseTheText) {
  EXPECT_EQ(small().encode("THE\u200d  Naïve\t漢漢,$"), (Ids{2, 8, 9, 14, 14, 15, 16, 3}));
  EXPECT_EQ(small().encode("İ"), (Ids{2, 18, 3}));
  EXPECT_EQ(small().encode("ΣΑΣ"), (Ids{2, 1, 3}));  // not σας
}

TEST(WordPieces, NothingIsOnlyTheFrame) {
  for (const char* text : {"", "  \t", "\u200b\xff\x01"})
    EXPECT_EQ(small().encode(text), (Ids{2, 3})) << text;
}

TEST(WordPieces, SpecialTokensAreFoundInTheText) {
  EXPECT_EQ(small().encode("the [MASK]played[SEP] [PAD]"), (Ids{2, 8, 4, 5, 7, 3, 0, 3}));
  EXPECT_EQ(small().encode("[mask]"), (Ids{2, 1, 1, 1, 3}));  // brackets are words
}

TEST(WordPieces, NormalisedTokensAreFoundInTheNormalisedText) {
  std::string json = testing::small_tokenizer_json();
  const std::string added = R"({"id": 20, "content": "É x", "normalized": true}, {"id": 0,)";
  json.replace(json.find("{\"id\": 0,"), 9, added);
  EXPECT_EQ(WordPieces::from_json(json).encode("the e\u0301 X,"), (Ids{2, 8, 20, 15, 3}));
}

TEST(WordPieces, AreCutAtALengthThatKeepsTheFrame) {
  const WordPieces::Cut cut = small().encode("the the the playing", 5);
  EXPECT_EQ(cut.ids, (Ids{2, 8, 8, 8, 3}));
  EXPECT_TRUE(cut.cut);
  const WordPieces::Cut whole = small().encode("the the the", 5);
  EXPECT_EQ(whole.ids, (Ids{2, 8, 8, 8, 3}));
  EXPECT_FALSE(whole.cut);
}

// "play" is the only piece that begins "playing"; in "ab", "a" and "ab" are known, "##b" follows.
TEST(WordPieces, ASampledWordIsSplitIntoShorterPieces) {
  const WordPieces pieces = small();
  int64_t whole = 0;
  for (uint64_t key = 0; key < 1000; ++key) {
    const WordPieces::Sampling sampling = {.dropout = 0.3, .key = make_key(key)};
    const Ids found = pieces.sample("playing ab", 100, sampling).ids;
    EXPECT_TRUE(found == (Ids{2, 5, 6, 13, 3}) || found == (Ids{2, 5, 6, 10, 11, 3}))
        << ::testing::PrintToString(found);
    EXPECT_EQ(pieces.sample("playing ab", 100, sampling).ids, found);
    whole += found.size() == 5;
  }
  EXPECT_NEAR(static_cast<double>(whole), 700, 75);  // a deviation of 14.5
}

// "ab" is a piece, but after "a", nothing begins with "b".
TEST(WordPieces, ASampledWordIsNeverUnknownWhereItsLongestPiecesAreNot) {
  std::string json = testing::small_tokenizer_json();
  for (const char* piece : {"##b\"", "##bb\""}) json[json.find(piece) + 2] = 'q';
  const WordPieces pieces = WordPieces::from_json(json);
  for (uint64_t key = 0; key < 100; ++key)
    EXPECT_EQ(pieces.sample_unframed("ab", {.dropout = 0.9, .key = make_key(key)}), (Ids{13}));
}

TEST(WordPieces, WithoutDropoutASampleIsTheEncoding) {
  for (const char* text : {"the playing played", "abbb ab a", "playx the [MASK]"})
    EXPECT_EQ(small().sample(text, 4, {.key = make_key(3)}).ids, small().encode(text, 4).ids);
}

TEST(WordPieces, KnowTheirPieces) {
  const WordPieces pieces = small();
  EXPECT_EQ(pieces.size(), 20);
  EXPECT_EQ(pieces.piece(14), "漢");
  EXPECT_EQ(pieces.find("##ing"), 6);
  EXPECT_EQ(pieces.find("##xyz"), std::nullopt);
  EXPECT_EQ(pieces.unknown(), 1);
  EXPECT_TRUE(pieces.continues_word(6));
  EXPECT_FALSE(pieces.continues_word(5));
  EXPECT_EQ(pieces.spelling(6), "ing");
  EXPECT_EQ(pieces.spelling(5), "play");
  EXPECT_TRUE(pieces.frames(2) && pieces.frames(3));
  EXPECT_FALSE(pieces.frames(4));
  EXPECT_EQ(error_of([&] { pieces.piece(20); }), "word pieces: id 20 but 0 to 19 were expected");
}

TEST(WordPieces, ALongTextTakesTimeByItsLength) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "theplaying";
  EXPECT_EQ(small().encode(text), (Ids{2, 1, 3}));
  EXPECT_EQ(small().encode(std::string(200000, ',')).size(), 200002u);
}

// What Hugging Face's own library makes of texts in several languages.
TEST(WordPieces, EqualTheIdsOfARealTokenizer) {
  const auto folder = testing::external_data("minilm");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const WordPieces pieces = WordPieces::load(folder / "tokenizer.json");
  EXPECT_EQ(pieces.size(), 30522);
  const JsonValue golden = JsonValue::parse(MappedFile(folder / "golden.json").text());
  ASSERT_EQ(golden.size(), 40u);
  for (const JsonValue& one : golden) {
    const auto text = one["text"].get<std::string>();
    EXPECT_EQ(pieces.encode(text), one["ids"].get<Ids>()) << text;
  }
}

}  // namespace
}  // namespace heed
