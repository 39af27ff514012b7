#include "heed/data/sentencepiece_model.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

std::string field(int tag, const std::string& bytes) {
  return std::string(1, static_cast<char>(tag << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}

// More than 127 bytes, but fewer than 16,384.
std::string long_field(int tag, const std::string& bytes) {
  return std::string(1, static_cast<char>(tag << 3 | 2)) +
         static_cast<char>(0x80 | (bytes.size() & 0x7F)) + static_cast<char>(bytes.size() >> 7) +
         bytes;
}

std::string piece(const std::string& text, float score, int type) {
  const std::string score_bytes(reinterpret_cast<const char*>(&score), sizeof(score));
  return field(1, field(1, text) + '\x15' + score_bytes + '\x18' + static_cast<char>(type));
}

TEST(SentencePieceModel, ReadsPiecesAndKind) {
  const std::string bytes = piece("ab", -1.5f, 1) + piece("<0xE2>", 0, 6) + field(2, "\x18\x02");
  const SentencePieceModel model = parse_sentencepiece_model(bytes, "m");
  EXPECT_EQ(model.kind, VocabularyKind::bpe);
  ASSERT_EQ(model.pieces.size(), 2u);
  EXPECT_EQ(model.pieces[0].text, "ab");
  EXPECT_EQ(model.pieces[0].score, -1.5f);
  EXPECT_EQ(model.pieces[0].type, PieceType::normal);
  EXPECT_EQ(model.pieces[1].type, PieceType::byte);
  EXPECT_EQ(model.pieces[1].byte, 0xE2);
}

TEST(SentencePieceModel, ReadsHowTextIsNormalised) {
  const auto normalisation = [](const std::string& settings) {
    return parse_sentencepiece_model(piece("a", 0, 1) + settings, "m").normalisation;
  };
  EXPECT_TRUE(normalisation("").keeps_characters);
  // 256 units that lead nowhere, and one empty replacement.
  const std::string table =
      std::string("\0\4\0\0", 4) + std::string(1024, '\0') + std::string(1, '\0');
  EXPECT_FALSE(normalisation(long_field(3, long_field(2, table))).keeps_characters);
  EXPECT_TRUE(normalisation("").adds_space_in_front);
  EXPECT_FALSE(normalisation(field(3, std::string("\x18\0", 2))).adds_space_in_front);
  EXPECT_TRUE(normalisation("").removes_extra_spaces);
  EXPECT_FALSE(normalisation(field(3, std::string("\x20\0", 2))).removes_extra_spaces);
  EXPECT_TRUE(normalisation("").shows_spaces);
  EXPECT_FALSE(normalisation(field(3, std::string("\x28\0", 2))).shows_spaces);
  EXPECT_FALSE(normalisation("").has_space_after_word);
  EXPECT_TRUE(normalisation(field(2, "\xc0\x01\x01")).has_space_after_word);
}

TEST(SentencePieceModel, SkipsFieldsThatItDoesNotKnow) {
  const std::string unknown =
      std::string("\x38\x85\x01") + "\x41" + std::string(8, 'x') + field(9, "?");
  EXPECT_EQ(parse_sentencepiece_model(unknown + piece("a", 0, 1) + unknown, "m").pieces.size(), 1u);
}

TEST(SentencePieceModel, SaysWhatIsWrong) {
  const auto sentence = [](const std::string& bytes) {
    return error_of([&] { parse_sentencepiece_model(bytes, "m.spm"); });
  };
  EXPECT_EQ(sentence(""), "m.spm: is not a SentencePiece model, or one without pieces");
  EXPECT_EQ(sentence("garbage"), "m.spm: is not a SentencePiece model");
  const std::string whole = piece("ab", -1, 1);
  for (size_t size = 1; size < whole.size(); ++size)
    EXPECT_EQ(sentence(whole.substr(0, size)), "m.spm: is not a SentencePiece model") << size;
  EXPECT_EQ(sentence(std::string(1, 10).append(11, char(-1))),
            "m.spm: is not a SentencePiece model");
  EXPECT_EQ(sentence(piece("", 0, 1)), "m.spm: a piece of the vocabulary is empty");
  EXPECT_EQ(sentence(piece("\xc3", 0, 1)), "m.spm: a piece of the vocabulary is not UTF-8");
  EXPECT_EQ(sentence(piece(std::string(1, '\0'), 0, 1)),
            "m.spm: a piece of the vocabulary holds a NUL character");
  for (const int tag : {3, 5})
    EXPECT_EQ(sentence(piece("a", 0, 1) + field(tag, field(2, "table"))),
              "m.spm: the table of characters is damaged");
  EXPECT_EQ(sentence(piece("a", std::numeric_limits<float>::quiet_NaN(), 1)),
            "m.spm: the score of piece \"a\" is not a number");
  for (const char* byte : {"<0xE>", "<0xG2>", "<0x+2>", "[0xE2]", "a"})
    EXPECT_EQ(sentence(piece(byte, 0, 6)),
              fmt::format("m.spm: piece \"{}\" does not name a byte, as \"<0xE2>\" does", byte));
  EXPECT_EQ(sentence(piece("a", 0, 1) + field(2, "\x18\x09")),
            "m.spm: the SentencePiece model is of an unknown kind (9)");
}

}  // namespace
}  // namespace heed
