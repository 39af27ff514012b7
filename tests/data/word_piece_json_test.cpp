#include "heed/data/word_piece_json.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_word_pieces.h"

namespace heed {
namespace {

using testing::error_of;
using testing::small_tokenizer_json;

std::string changed(std::string_view from, std::string_view to) {
  std::string json = small_tokenizer_json();
  const size_t at = json.find(from);
  EXPECT_NE(at, json.npos) << from;
  return json.replace(at, from.size(), to);
}

std::string refusal(std::string_view from, std::string_view to) {
  return error_of([&] { parse_word_piece_json(changed(from, to), "t.json"); });
}

WordPieceTokenizer with(std::string_view from, std::string_view to) {
  return parse_word_piece_json(changed(from, to), "t.json");
}

TEST(WordPieceJson, IsReadAsItStands) {
  const WordPieceTokenizer read = parse_word_piece_json(small_tokenizer_json(), "t.json");
  EXPECT_EQ(read.pieces.size(), 20u);
  EXPECT_EQ(read.pieces[6], "##ing");
  EXPECT_EQ(read.prefix, "##");
  EXPECT_EQ(read.unknown, 1);
  EXPECT_EQ(read.longest_word, 20);
  EXPECT_EQ(read.before, std::vector<int32_t>{2});
  EXPECT_EQ(read.after, std::vector<int32_t>{3});
  ASSERT_EQ(read.added.size(), 5u);
  EXPECT_EQ(read.added[4].text, "[MASK]");
  EXPECT_TRUE(read.added[4].takes_spaces_before);
  EXPECT_FALSE(read.added[4].normalised);
}

TEST(WordPieceJson, AccentsFollowTheCaseUnlessTheyAreToldOtherwise) {
  EXPECT_TRUE(with("x", "x").normaliser.strips_accents);
  EXPECT_FALSE(with("\"lowercase\": true", "\"lowercase\": false").normaliser.strips_accents);
  const auto told = with("\"strip_accents\": null", "\"strip_accents\": false").normaliser;
  EXPECT_FALSE(told.strips_accents);
  EXPECT_TRUE(told.lowercases);
}

TEST(WordPieceJson, MayHaveNoNormaliserAndNoFrame) {
  const WordPieceTokenizer bare = with("\"normalizer\": {", "\"was\": {");
  EXPECT_FALSE(bare.normaliser.cleans || bare.normaliser.lowercases);
  const WordPieceTokenizer unframed = with("\"post_processor\": {", "\"was\": {");
  EXPECT_TRUE(unframed.before.empty() && unframed.after.empty());
}

TEST(WordPieceJson, ReadsBertsOwnFrame) {
  const std::string json = small_tokenizer_json();
  const size_t begin = json.find("\"post_processor\""), end = json.find("\"decoder\"");
  const std::string bert =
      json.substr(0, begin) +
      R"("post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},)" +
      json.substr(end);
  const WordPieceTokenizer read = parse_word_piece_json(bert, "t.json");
  EXPECT_EQ(read.before, std::vector<int32_t>{2});
  EXPECT_EQ(read.after, std::vector<int32_t>{3});
}

TEST(WordPieceJson, EarlyFilesDoNotNameTheModel) {
  EXPECT_EQ(with("\"type\": \"WordPiece\", \"unk", "\"unk").pieces.size(), 20u);
}

TEST(WordPieceJson, AddedTokensMayComeAfterTheVocabulary) {
  const WordPieceTokenizer read =
      with("{\"id\": 0,", "{\"id\": 20, \"special\": false, \"content\": \"Zzz\"}, {\"id\": 0,");
  EXPECT_EQ(read.pieces.size(), 21u);
  EXPECT_EQ(read.pieces[20], "Zzz");
  EXPECT_TRUE(read.added[0].normalised);  // what is not special is, unless it says otherwise
}

TEST(WordPieceJson, WhatCannotBeHonouredIsRefusedByName) {
  EXPECT_EQ(refusal("BertNormalizer", "Lowercase"),
            "t.json: \"normalizer\" is of the type \"Lowercase\" but heed reads only "
            "BertNormalizer");
  EXPECT_EQ(refusal("BertPreTokenizer", "ByteLevel"),
            "t.json: \"pre_tokenizer\" is of the type \"ByteLevel\" but heed reads only "
            "BertPreTokenizer");
  EXPECT_EQ(refusal("\"pre_tokenizer\"", "\"was\""),
            "t.json: \"pre_tokenizer\" is null but an object was expected");
  EXPECT_EQ(refusal("\"type\": \"WordPiece\", \"unk", "\"type\": \"BPE\", \"unk"),
            "t.json: \"model\" is of the type \"BPE\" but heed reads only WordPiece");
  EXPECT_EQ(refusal("TemplateProcessing", "RobertaProcessing"),
            "t.json: \"post_processor\" is of the type \"RobertaProcessing\" but heed reads only "
            "TemplateProcessing and BertProcessing");
  EXPECT_EQ(refusal("\"direction\": \"Right\"", "\"direction\": \"Left\""),
            "t.json: direction of \"padding\" is \"Left\" but heed reads only \"Right\"");
  EXPECT_EQ(refusal("\"strategy\": \"LongestFirst\"", "\"direction\": \"Left\""),
            "t.json: direction of \"truncation\" is \"Left\" but heed reads only \"Right\"");
  EXPECT_EQ(refusal("\"A\", \"type_id\": 0", "\"A\", \"type_id\": 1"),
            "t.json: single of \"post_processor\" has tokens of the type 1 but heed reads only 0");
  EXPECT_EQ(refusal("\"id\": \"A\"", "\"id\": \"B\""),
            "t.json: single of \"post_processor\" has another text than A, once");
}

TEST(WordPieceJson, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(error_of([] { parse_word_piece_json("", "t.json"); }), "t.json: is not JSON");
  EXPECT_EQ(error_of([] { parse_word_piece_json("[]", "t.json"); }),
            "t.json: the file is array but an object was expected");
  EXPECT_EQ(refusal("\"##ing\": 6", "\"##ing\": 5"),
            "t.json: the pieces \"##ing\" and \"play\" have the same id, 5");
  EXPECT_EQ(refusal("\"##ing\": 6", "\"##ing\": 24"),
            "t.json: no piece has the id 6, but there are some with larger ones");
  EXPECT_EQ(refusal("\"##ing\": 6", "\"##ing\": -1"),
            "t.json: the id of \"##ing\" is -1 but a whole number from 0 to 24 was expected");
  EXPECT_EQ(refusal("\"##ing\": 6", "\"##ing\": 18446744073709551615"),
            "t.json: the id of \"##ing\" is 18446744073709551615 but a whole number from 0 to 24 "
            "was expected");
  EXPECT_EQ(refusal("\"unk_token\": \"[UNK]\"", "\"unk_token\": \"<unk>\""),
            "t.json: the token for unknown words is \"<unk>\", which the vocabulary does not have");
  EXPECT_EQ(refusal("\"ids\": [2]", "\"ids\": [25]"),
            "t.json: the id of \"[CLS]\" in \"post_processor\" is 25 but a whole number from 0 to "
            "19 was expected");
  EXPECT_EQ(refusal("{\"id\": 4,", "{\"id\": 5,"),
            "t.json: the added token \"[MASK]\" has the id 5 but the vocabulary has another for "
            "it");
  EXPECT_EQ(refusal("\"clean_text\": true", "\"clean_text\": 1"),
            "t.json: clean_text of \"normalizer\" is 1 but true or false was expected");
}

}  // namespace
}  // namespace heed
