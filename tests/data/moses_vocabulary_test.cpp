#include "heed/data/moses_vocabulary.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/base/text.h"
#include "heed/data/sentencepiece_model.h"
#include "heed/data/vocabulary_training.h"
#include "heed/data/word_vocabulary.h"
#include "small_moses.h"

namespace heed {
namespace {

using testing::error_of;
using testing::small_moses_vocabulary;
using Ids = std::vector<int32_t>;

const std::vector<std::string> tokens = {"un@@", "seen", ",", "&apos;s", "it", ".", "x@@"};

Vocabulary vocabulary_in(const std::string& language) {
  return moses_vocabulary(tokens,
                          {.language = language,
                           .prefixes = {},
                           .merges = "#version: 0.2\nu n\ns e\nse e\nsee n</w>\ni t</w>\n"
                                     "& a\n&a p\n&ap o\n&apo s\n&apos ;\n&apos; s</w>\n"},
                          "a.spm");
}

TEST(MosesVocabulary, HasTheTokensOfTheNetwork) {
  const Vocabulary vocabulary = vocabulary_in("en");
  EXPECT_TRUE(vocabulary.is_for_moses());
  ASSERT_EQ(vocabulary.size(), static_cast<int32_t>(tokens.size()) + 3);
  for (size_t i = 0; i < tokens.size(); ++i)
    EXPECT_EQ(vocabulary.piece(static_cast<int32_t>(i) + 2), tokens[i]);
  const std::string text = "unseen, it’s seen.";
  const Ids ids = vocabulary.encode(text);
  EXPECT_EQ(ids, (Ids{2, 3, 4, 6, 5, 3, 7}));
  EXPECT_EQ(vocabulary.decode(ids), "unseen, it's seen.");
  const std::vector<TextRange> ranges = {{0, 2},   {2, 6},   {6, 7},  {8, 10},
                                         {10, 14}, {15, 19}, {19, 20}};
  EXPECT_EQ(vocabulary.encoded_ranges(text), ranges);
}

// Each by itself, as CTranslate2 has it. What is lost is told in the words of the text.
TEST(MosesVocabulary, TellsWhatBecomesUnknown) {
  const Vocabulary vocabulary = vocabulary_in("en");
  EXPECT_EQ(vocabulary.encode("it … un"), (Ids{6, 1, 1, 7, 1, 1}));
  EXPECT_EQ(vocabulary.unknown_parts("it (seen)"), (std::vector<std::string>{"(", ")"}));
  EXPECT_EQ(vocabulary.unknown_parts("it seen"), std::vector<std::string>());
}

// Marks, which are words of the tokeniser, are not those of the text.
TEST(MosesVocabulary, KnowsWhereWordsStart) {
  const Vocabulary vocabulary = vocabulary_in("en");
  const Ids ids = {2, 3, 4, 6, 5, Vocabulary::unknown, 3, 7, Vocabulary::end};
  const std::vector<bool> starts = {true, false, false, true, false, true, true, false, false};
  EXPECT_EQ(vocabulary.word_starts(ids), starts);
  EXPECT_TRUE(vocabulary.goes_on(2));
  EXPECT_FALSE(vocabulary.goes_on(3) || vocabulary.goes_on(Vocabulary::end));
}

TEST(MosesVocabulary, IsKeptInAModelThatOthersCanRead) {
  const Vocabulary vocabulary = vocabulary_in("en");
  EXPECT_EQ(vocabulary.plain_bytes(), word_vocabulary(tokens).bytes());
  EXPECT_FALSE(is_word_vocabulary(vocabulary));
  const Vocabulary again = Vocabulary::from_bytes(vocabulary.bytes());
  EXPECT_EQ(again.encode("unseen it's."), vocabulary.encode("unseen it's."));
  EXPECT_TRUE(again.is_for_moses());
}

// The sides of a network may differ in the language and have the same ids.
TEST(MosesVocabulary, IsOfALanguage) {
  const Vocabulary english = vocabulary_in("en"), french = vocabulary_in("fr");
  EXPECT_TRUE(english.same_ids(french));
  EXPECT_NE(english.bytes(), french.bytes());
  EXPECT_EQ(english.decode(Ids{6, 5}), "it's");
  EXPECT_EQ(french.decode(Ids{6, 5}), "it 's");
}

TEST(MosesVocabulary, WhatDoesNotBelongTogetherIsRefused) {
  const MosesSettings good = {.language = "en", .prefixes = {}, .merges = "a b\n"};
  const auto refusal = [](const std::string& bytes) {
    return error_of([&] { Vocabulary::from_bytes(bytes, "a.spm"); });
  };
  const std::string words = word_vocabulary(tokens).bytes();
  EXPECT_NO_THROW(Vocabulary::from_bytes(with_moses(words, good)));
  EXPECT_EQ(refusal(with_moses(words, good) + words),
            "a.spm: something follows the settings for Moses");
  EXPECT_EQ(refusal(with_tokens(with_moses(words, good), tokens)),
            "a.spm: something follows the settings for Moses");
  EXPECT_EQ(refusal(with_moses(words, {.language = "en", .prefixes = {}, .merges = "ab\n"})),
            "a.spm: line 1 is \"ab\", but two symbols with a space between them were expected");
  EXPECT_EQ(refusal(with_moses(words, {.language = "\xff", .prefixes = {}, .merges = "a b\n"})),
            "a.spm: the settings for Moses are not UTF-8");
  const Vocabulary characters =
      train_vocabulary({.kind = VocabularyKind::characters}, [next = 0](std::string& text) mutable {
        text = "ab";
        return next++ < 10;
      });
  EXPECT_EQ(refusal(with_moses(characters.bytes(), good)),
            "a.spm: has settings for Moses, but its pieces are not words");
  const std::vector<std::string> special = {"<pad>"};
  EXPECT_EQ(refusal(with_moses(word_vocabulary(special).bytes(), good)),
            "a.spm: has settings for Moses, but its piece \"▁<pad>\" is not a word");
}

TEST(MosesVocabulary, HostileTextIsEncodedAndDecoded) {
  for (const char* language : {"en", "de", "fr", "cs", "zh", "", "../.."}) {
    const Vocabulary vocabulary = small_moses_vocabulary(language);
    for (const std::string text : {"@@ @@", "</w>", "<unk> <pad> </s>", "\"\"\"...'''", "&amp;amp;",
                                   "\xc3\xff'", "1'1'1'1", ".,.,.,", "\u2581\u2581ba", "((((",
                                   "\u00a0«\u00a0»\u00a0", "ba@@ ko", "\"...\"<", ".'"}) {
      const Ids ids = vocabulary.encode(text);
      const std::vector<TextRange> ranges = vocabulary.encoded_ranges(text);
      EXPECT_EQ(ranges.size(), ids.size());
      for (const TextRange range : ranges)
        EXPECT_TRUE(range.begin < range.end && range.end <= text.size()) << text;
      EXPECT_EQ(vocabulary.word_starts(ids).size(), ids.size());
      EXPECT_EQ(vocabulary.decoded_ranges(ids).size(), ids.size());
      EXPECT_TRUE(is_utf8(vocabulary.decode(ids)));
    }
  }
}

}  // namespace
}  // namespace heed
