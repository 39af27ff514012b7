#include "heed/data/vocabulary_training.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.h"
#include "made_up_input.h"

namespace heed {
namespace {

using testing::error_of;
using testing::made_up_sentence;
using testing::made_up_sentences;

SentenceSource source_of(std::vector<std::string> sentences) {
  return [sentences = std::move(sentences), next = size_t{0}](std::string& sentence) mutable {
    if (next == sentences.size()) return false;
    sentence = sentences[next++];
    return true;
  };
}

Vocabulary train(const VocabularyConfig& config, uint64_t sentences = 2000) {
  return train_vocabulary(config, source_of(made_up_sentences(sentences)));
}

TEST(VocabularyTraining, GivesTheSizeThatWasAskedFor) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe})
    for (const int size : {100, 700}) EXPECT_EQ(train({.kind = kind, .size = size}).size(), size);
}

TEST(VocabularyTraining, GivesTheSameBytesAgain) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe,
                                    VocabularyKind::characters, VocabularyKind::words})
    EXPECT_EQ(train({.kind = kind}).bytes(), train({.kind = kind}).bytes());
}

TEST(VocabularyTraining, SaysTheLargestSizeThatWorks) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe,
                                    VocabularyKind::characters, VocabularyKind::words}) {
    const std::string sentence = error_of([&] { train({.kind = kind, .size = 30000}, 300); });
    constexpr std::string_view start = "a vocabulary of 30000 is more than the text supports: ";
    ASSERT_EQ(sentence.substr(0, start.size()), start);
    const int largest = std::stoi(sentence.substr(start.size()));
    EXPECT_EQ(train({.kind = kind, .size = largest}, 300).size(), largest) << sentence;
    EXPECT_NE(error_of([&] { train({.kind = kind, .size = largest + 1}, 300); }),
              "(nothing was thrown)");
  }
}

TEST(VocabularyTraining, SaysTheSmallestSizeThatWorks) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const std::string sentence = error_of([&] { train({.kind = kind, .size = 12}); });
    constexpr std::string_view start =
        "a vocabulary of 12 is too small for the characters of the text: ";
    ASSERT_EQ(sentence.substr(0, start.size()), start);
    const int smallest = std::stoi(sentence.substr(start.size()));
    EXPECT_EQ(train({.kind = kind, .size = smallest}).size(), smallest);
    EXPECT_EQ(error_of([&] { train({.kind = kind, .size = smallest - 1}); }).substr(0, 15),
              "a vocabulary of");
  }
}

TEST(VocabularyTraining, WithoutTextThereIsNoVocabulary) {
  const std::string expected = "there is no text to learn a vocabulary from";
  EXPECT_EQ(error_of([] { train_vocabulary({}, source_of({})); }), expected);
  EXPECT_EQ(error_of([] { train_vocabulary({}, source_of({"", "  "})); }), expected);
  EXPECT_EQ(
      error_of([] { train_vocabulary({.size = -5}, source_of({"a"})); }),
      "a vocabulary of -5 but 4 to 16777216 was expected, or 0 for a size that suits the text");
}

TEST(VocabularyTraining, AWordIsEnoughText) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe,
                                    VocabularyKind::characters, VocabularyKind::words}) {
    const Vocabulary vocabulary = train_vocabulary({.kind = kind}, source_of({"word"}));
    EXPECT_EQ(vocabulary.decode(vocabulary.encode("word")), "word");
  }
}

TEST(VocabularyTraining, BytesSpellWhatWasNeverSeen) {
  const Vocabulary vocabulary = train({.kind = VocabularyKind::bpe, .size = 2600}, 20000);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("ba 漢字 😀\t!")), "ba 漢字 😀\t!");
  EXPECT_EQ(vocabulary.decode(vocabulary.sample("ba 漢字 😀\t!", 0.3, make_key(5))), "ba 漢字 😀\t!");
  const Vocabulary without =
      train({.kind = VocabularyKind::bpe, .size = 2600, .byte_fallback = false}, 20000);
  EXPECT_EQ(without.decode(without.encode("ba 漢 ba")), "ba  ba");
}

TEST(VocabularyTraining, CharactersAreLeftAsTheyAre) {
  const std::string text = "m² … ½ ﬁ Ａ e\xcc\x81 \xc2\xa0x";
  const Vocabulary vocabulary =
      train_vocabulary({.kind = VocabularyKind::characters}, source_of({text}));
  EXPECT_EQ(vocabulary.decode(vocabulary.encode(text)), text);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("  m²   … ")), "m² …");
}

TEST(VocabularyTraining, TokenisedTextPassesUnharmed) {
  std::vector<std::string> sentences = made_up_sentences(500);
  for (int i = 0; i < 200; ++i) sentences.emplace_back("don &apos;t 3.5 @-@ year  old ba ko ");
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const Vocabulary vocabulary =
        train_vocabulary({.kind = kind, .size = 400, .tokenised = true}, source_of(sentences));
    for (const std::string& text : sentences)
      EXPECT_EQ(vocabulary.decode(vocabulary.encode(text)), text);
  }
}

TEST(VocabularyTraining, ATokenMayBecomeOnePieceOnlyWhereTextIsTokenised) {
  std::vector<std::string> sentences = made_up_sentences(500);
  for (int i = 0; i < 200; ++i) sentences.emplace_back("don &apos;t a1");
  for (const bool tokenised : {false, true}) {
    const Vocabulary vocabulary = train_vocabulary(
        {.kind = VocabularyKind::bpe, .size = 400, .tokenised = tokenised}, source_of(sentences));
    EXPECT_EQ(vocabulary.encode("&apos;t").size() == 1, tokenised);
    EXPECT_EQ(vocabulary.encode("a1").size() == 1, tokenised);
  }
}

TEST(VocabularyTraining, PicksASizeThatSuitsTheText) {
  EXPECT_EQ(pick_vocabulary_size({5'000, 1'500, 25'000, 60}), 504);
  EXPECT_EQ(pick_vocabulary_size({740'000, 28'000, 4'000'000, 80}), 9048);
  EXPECT_EQ(pick_vocabulary_size({50'000'000, 600'000, 300'000'000, 300}), 32000);
  EXPECT_EQ(pick_vocabulary_size({10, 10, 1'000, 500}), 1256);
  const Vocabulary vocabulary = train({});
  EXPECT_GE(vocabulary.size(), 100);
  EXPECT_LE(vocabulary.size(), 800);
}

TEST(VocabularyTraining, OfAHugeTextTheSeedChooses) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const auto train_on_few = [&](uint64_t seed) {
      return train({.kind = kind, .most_bytes = 3000, .most_words = 100, .seed = seed});
    };
    const Vocabulary vocabulary = train_on_few(1);
    EXPECT_NE(train({.kind = kind}).bytes(), vocabulary.bytes());
    EXPECT_EQ(train_on_few(1).bytes(), vocabulary.bytes());
    EXPECT_NE(train_on_few(2).bytes(), vocabulary.bytes());
  }
  EXPECT_EQ(error_of([&] { train({.most_words = 0}); }),
            "a vocabulary from 0 words and 16777216 bytes but at least 1 was expected");
}

TEST(VocabularyTraining, TabsAreSpaces) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::words})
    EXPECT_EQ(train_vocabulary({.kind = kind}, source_of({"a\tb c", "c b"})).bytes(),
              train_vocabulary({.kind = kind}, source_of({"a b c", "c b"})).bytes());
}

// Running text comes back as it was: spaces at the start of a line, several of them, line breaks.
TEST(VocabularyTraining, RunningTextLosesNothing) {
  std::string verse = "First:\n  Before we go,\n\n\thear  me speak.\n";
  for (uint64_t i = 0; i < 300; ++i) verse += made_up_sentence(i) + "\n";
  for (const VocabularyKind kind :
       {VocabularyKind::unigram, VocabularyKind::bpe, VocabularyKind::characters}) {
    const Vocabulary vocabulary =
        train_vocabulary({.kind = kind, .running = true}, source_of({verse, verse}));
    for (const std::string& text : {verse, std::string("we\n"), std::string(" go  to"),
                                    std::string("\n\n:\t"), std::string()}) {
      const std::vector<int32_t> ids = vocabulary.encode(text);
      EXPECT_EQ(vocabulary.decode(ids), text);
      EXPECT_EQ(std::ranges::count(ids, Vocabulary::unknown), 0);
    }
    ASSERT_EQ(vocabulary.encode("\n").size(), 1u);
    std::vector<int32_t> lines = vocabulary.encode("we");
    lines.push_back(vocabulary.encode("\n")[0]);
    for (const int32_t id : vocabulary.encode("go")) lines.push_back(id);
    EXPECT_EQ(vocabulary.encode("we\ngo"), lines);
  }
  EXPECT_EQ(train_vocabulary({.kind = VocabularyKind::characters, .running = true},
                             source_of({"ab b\na", "c"}))
                .size(),
            8);  // a, b, c, space, line break; end, unknown, padding
}

TEST(VocabularyTraining, ALineBreakOfRunningTextIsAWordAmongWords) {
  const Vocabulary vocabulary = train_vocabulary({.kind = VocabularyKind::words, .running = true},
                                                 source_of({" = a b = \nb <unk>\n a c", "c\n"}));
  EXPECT_EQ(vocabulary.size(), 8);  // = a b c, line break; end, unknown, padding
  const std::vector<int32_t> ids = vocabulary.encode("a\n\nb");
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(ids[1], ids[2]);
  EXPECT_EQ(vocabulary.decode(ids), "a \n \n b");
  EXPECT_EQ(vocabulary.encode("<unk>"), std::vector{Vocabulary::unknown});
}

std::vector<std::string> pieces_of(const Vocabulary& vocabulary) {
  std::vector<std::string> pieces;
  for (int32_t id = 0; id < vocabulary.size(); ++id) pieces.push_back(vocabulary.piece(id));
  return pieces;
}

// Words with counts are all that SentencePiece needs for BPE; it learns the same from sentences.
TEST(VocabularyTraining, BpeFromWordsIsBpeFromSentences) {
  testing::MadeUpInput sentences(300);
  std::string bytes;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train({{"model_type", "bpe"},
                                                  {"vocab_size", "299"},
                                                  {"character_coverage", "1"},
                                                  {"normalization_rule_name", "identity"},
                                                  {"minloglevel", "3"}},
                                                 &sentences, &bytes);
  ASSERT_TRUE(status.ok()) << status.ToString();
  // A model with a begin-of-sentence id has one piece less.
  EXPECT_EQ(pieces_of(train({.kind = VocabularyKind::bpe, .size = 299}, 300)),
            pieces_of(Vocabulary::from_bytes(bytes)));
}

}  // namespace
}  // namespace heed
