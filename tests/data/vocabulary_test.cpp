#include "heed/data/vocabulary.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "error_of.h"
#include "heed/base/files.h"
#include "heed/data/vocabulary_training.h"
#include "made_up_input.h"
#include "small_moses.h"

namespace heed {
namespace {

using testing::error_of;
using testing::made_up_sentence;
using testing::small_moses_vocabulary;
using Ids = std::vector<int32_t>;

Vocabulary train(VocabularyConfig config) {
  uint64_t next = 0;
  return train_vocabulary(config, [next](std::string& sentence) mutable {
    sentence = made_up_sentence(next++);
    return next <= 2000;
  });
}

const Vocabulary& small_vocabulary(VocabularyKind kind) {
  static const Vocabulary unigram = train({.kind = VocabularyKind::unigram, .size = 500});
  static const Vocabulary bpe = train({.kind = VocabularyKind::bpe, .size = 500});
  static const Vocabulary characters = train({.kind = VocabularyKind::characters});
  static const Vocabulary words = train({.kind = VocabularyKind::words});
  switch (kind) {
    case VocabularyKind::unigram:
      return unigram;
    case VocabularyKind::bpe:
      return bpe;
    case VocabularyKind::characters:
      return characters;
    case VocabularyKind::words:
      return words;
  }
  __builtin_unreachable();
}

struct Sample {
  std::string name;
  Vocabulary (*vocabulary)();
  bool varies = false;          // has several segmentations of a word
  bool merges_unknown = false;  // neighbours become one id
};

const Sample samples[] = {
    {.name = "unigram",
     .vocabulary = [] { return small_vocabulary(VocabularyKind::unigram); },
     .varies = true,
     .merges_unknown = true},
    {.name = "bpe",
     .vocabulary = [] { return small_vocabulary(VocabularyKind::bpe); },
     .varies = true,
     .merges_unknown = true},
    {.name = "characters",
     .vocabulary = [] { return small_vocabulary(VocabularyKind::characters); },
     .merges_unknown = true},
    {.name = "words", .vocabulary = [] { return small_vocabulary(VocabularyKind::words); }},
    {.name = "moses", .vocabulary = [] { return small_moses_vocabulary(); }, .varies = true}};

class EveryVocabulary : public ::testing::TestWithParam<Sample> {
 protected:
  const Vocabulary vocabulary_ = GetParam().vocabulary();
};

INSTANTIATE_TEST_SUITE_P(, EveryVocabulary, ::testing::ValuesIn(samples),
                         [](const auto& test) { return test.param.name; });

TEST(Vocabulary, TellsTheBytesOfEveryId) {
  for (const Vocabulary& vocabulary :
       {small_vocabulary(VocabularyKind::unigram), small_vocabulary(VocabularyKind::bpe),
        small_moses_vocabulary()}) {
    for (std::string text : {made_up_sentence(1), made_up_sentence(2) + "  " + made_up_sentence(3),
                             std::string("日本 ba 😀"), std::string(20000, 'x'), std::string()}) {
      const Ids ids = vocabulary.encode(text);
      const std::vector<TextRange> ranges = vocabulary.encoded_ranges(text);
      ASSERT_EQ(ranges.size(), ids.size());
      std::string spelt, wanted = text;
      for (const TextRange range : ranges) spelt += text.substr(range.begin, range.size());
      std::erase(wanted, ' ');
      EXPECT_EQ(spelt, wanted);
      const std::string decoded = vocabulary.decode(ids);
      std::string again, unspaced = decoded;
      for (const TextRange range : vocabulary.decoded_ranges(ids))
        again += decoded.substr(range.begin, range.size());
      std::erase(unspaced, ' ');
      EXPECT_EQ(again, unspaced);
    }
  }
}

TEST(Vocabulary, TellsWhatBecomesUnknown) {
  const Vocabulary& letters = small_vocabulary(VocabularyKind::characters);
  EXPECT_EQ(letters.unknown_parts("ba ko"), std::vector<std::string>());
  EXPECT_EQ(letters.unknown_parts("Zba Ωko"), (std::vector<std::string>{"Z", "Ω"}));
  EXPECT_EQ(letters.unknown_parts(""), std::vector<std::string>());
}

TEST_P(EveryVocabulary, DecodesWhatItEncodes) {
  for (uint64_t i = 0; i < 500; ++i) {
    const std::string text = made_up_sentence(i);
    const Ids ids = vocabulary_.encode(text);
    EXPECT_EQ(vocabulary_.decode(ids), text);
    for (const int32_t id : ids) EXPECT_TRUE(id > Vocabulary::unknown && id < vocabulary_.start());
  }
}

// It is encoded in parts, but the result is the same.
TEST_P(EveryVocabulary, ALongTextHasTheIdsOfItsSentences) {
  std::string text;
  Ids expected;
  for (uint64_t i = 0; text.size() < 50000; ++i) {
    std::string sentence = made_up_sentence(i);
    // Moses's tokeniser looks at what follows a full stop.
    if (vocabulary_.is_for_moses()) sentence.pop_back();
    sentence += i % 5 == 0 ? " \u732b" : "";
    text += (i == 0 ? "" : " ") + sentence;
    const Ids ids = vocabulary_.encode(sentence);
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  EXPECT_EQ(vocabulary_.encode(text), expected);
}

// As one piece, the unknown part would be one id and take quadratic time.
TEST_P(EveryVocabulary, AVeryLongWordIsEncodedInParts) {
  std::string word;
  for (int i = 0; i < 100000; ++i) word += "\u732b";
  const Ids part = vocabulary_.encode(word.substr(0, 3000));
  const Ids whole = vocabulary_.encode(word);
  EXPECT_GE(part.size(), 1u);
  EXPECT_EQ(part.back(), Vocabulary::unknown);
  if (vocabulary_.is_for_moses())
    EXPECT_EQ(whole.size(), 100000u);  // each character is a word
  else if (part.size() == 1 && GetParam().merges_unknown)
    EXPECT_EQ(whole, part);
  else
    EXPECT_EQ(whole.size(), part.size() * (word.size() / 8190 + 1));
}

TEST_P(EveryVocabulary, GivesTheSpecialIdsTheirPlaces) {
  EXPECT_EQ(vocabulary_.piece(Vocabulary::end), "</s>");
  EXPECT_EQ(vocabulary_.piece(Vocabulary::unknown), "<unk>");
  EXPECT_EQ(vocabulary_.piece(vocabulary_.start()), "<pad>");
  std::set<std::string> pieces;
  for (int32_t id = 0; id < vocabulary_.size(); ++id) pieces.insert(vocabulary_.piece(id));
  EXPECT_EQ(pieces.size(), static_cast<size_t>(vocabulary_.size()));
}

TEST_P(EveryVocabulary, DecodingStopsAtTheEndAndLeavesSpecialIdsOut) {
  Ids ids = vocabulary_.encode(made_up_sentence(1));
  Ids with_specials = {vocabulary_.start()};
  with_specials.insert(with_specials.end(), ids.begin(), ids.end());
  with_specials.insert(with_specials.end(), {Vocabulary::unknown, Vocabulary::end, ids[0], ids[0]});
  EXPECT_EQ(vocabulary_.decode(with_specials), made_up_sentence(1));
  EXPECT_EQ(vocabulary_.decode({}), "");
}

TEST_P(EveryVocabulary, IdsOutOfRangeAreErrors) {
  const std::string range =
      " but 0 to " + std::to_string(vocabulary_.size() - 1) + " were expected";
  EXPECT_EQ(error_of([&] { vocabulary_.decode(Ids{-1}); }), "vocabulary: id -1" + range);
  EXPECT_EQ(error_of([&] { vocabulary_.piece(vocabulary_.size()); }),
            "vocabulary: id " + std::to_string(vocabulary_.size()) + range);
}

TEST_P(EveryVocabulary, SamplingSpellsTheSameTextAndDependsOnTheKeyOnly) {
  const std::string text = made_up_sentence(3) + " " + made_up_sentence(4);
  std::set<Ids> seen;
  for (uint64_t i = 0; i < 50; ++i) {
    const Ids ids = vocabulary_.sample(text, 0.2, make_key(i));
    EXPECT_EQ(vocabulary_.decode(ids), text);
    EXPECT_EQ(vocabulary_.sample(text, 0.2, make_key(i)), ids);
    seen.insert(ids);
  }
  EXPECT_EQ(seen.size() > 10, GetParam().varies);
}

TEST_P(EveryVocabulary, AnyBytesCanBeEncoded) {
  for (const std::string& text :
       {std::string(), std::string("   "), std::string("a\0b", 3), std::string("\xff\xfe"),
        std::string("\xc3"), std::string("\t\n▁</s><unk>"), std::string(5000, 'x')}) {
    for (const int32_t id : vocabulary_.encode(text))
      EXPECT_TRUE(id >= 0 && id < vocabulary_.size());
    for (const int32_t id : vocabulary_.sample(text, 0.5, make_key(1)))
      EXPECT_TRUE(id >= 0 && id < vocabulary_.size());
  }
}

TEST_P(EveryVocabulary, SurvivesItsBytes) {
  const Vocabulary again = Vocabulary::from_bytes(vocabulary_.bytes());
  EXPECT_EQ(again.size(), vocabulary_.size());
  EXPECT_EQ(again.encode(made_up_sentence(9)), vocabulary_.encode(made_up_sentence(9)));
}

// Text with everything that could confuse normalisation.
std::string odd_text(uint64_t i) {
  static const std::vector<std::string> parts = {" ", "  ",   "▁", "\t", "ba", "ko", "é",
                                                 "→", "\xff", "😀", "\n", "x",  "."};
  Rng rng(i);
  std::string text;
  for (uint64_t left = rng.below(12); left > 0; --left) text += parts[rng.below(parts.size())];
  return text;
}

TEST(Vocabulary, BpeWithoutDropoutIsTheOrdinaryEncoding) {
  const Vocabulary& vocabulary = small_vocabulary(VocabularyKind::bpe);
  for (uint64_t i = 0; i < 300; ++i) {
    const std::string text = made_up_sentence(i + 5000) + odd_text(i);
    EXPECT_EQ(vocabulary.sample(text, 0, make_key(i)), vocabulary.encode(text)) << text;
    EXPECT_EQ(vocabulary.sample(odd_text(i), 0, make_key(i)), vocabulary.encode(odd_text(i)))
        << odd_text(i);
  }
}

TEST(Vocabulary, ASharpUnigramSampleIsTheOrdinaryEncoding) {
  const Vocabulary& vocabulary = small_vocabulary(VocabularyKind::unigram);
  for (uint64_t i = 0; i < 300; ++i) {
    const std::string text = made_up_sentence(i + 5000) + odd_text(i);
    EXPECT_EQ(vocabulary.sample(text, 1000, make_key(i)), vocabulary.encode(text)) << text;
  }
}

// A model as SentencePiece trains it by default: with Unicode normalisation, and with other special
// ids.
std::string foreign_model(const std::string& kind) {
  testing::MadeUpInput sentences(500);
  std::string bytes;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      {{"model_type", kind}, {"vocab_size", "200"}, {"pad_id", "3"}, {"minloglevel", "3"}},
      &sentences, &bytes);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return bytes;
}

TEST(Vocabulary, TakesTheModelsOfOthers) {
  for (const char* kind : {"unigram", "bpe"}) {
    const std::string bytes = foreign_model(kind);
    const Vocabulary vocabulary = Vocabulary::from_bytes(bytes);
    EXPECT_EQ(vocabulary.size(), 200 - 4 + 3);
    EXPECT_EQ(vocabulary.piece(Vocabulary::end), "</s>");
    EXPECT_EQ(vocabulary.piece(Vocabulary::unknown), "<unk>");
    EXPECT_EQ(vocabulary.bytes(), bytes);
    sentencepiece::SentencePieceProcessor processor;
    ASSERT_TRUE(processor.LoadFromSerializedProto(bytes).ok());
    for (uint64_t i = 0; i < 100; ++i) {
      const std::string text = made_up_sentence(i);
      std::vector<std::string> pieces;
      for (const int32_t id : vocabulary.encode(text)) pieces.push_back(vocabulary.piece(id));
      EXPECT_EQ(pieces, processor.EncodeAsPieces(text));
      EXPECT_EQ(vocabulary.decode(vocabulary.encode(text)), text);
      EXPECT_EQ(vocabulary.decode(vocabulary.sample(text, 0.2, make_key(i))), text);
    }
    EXPECT_EQ(vocabulary.encode("ｂａ  ②"),
              vocabulary.encode("ba 2"));  // its own normalisation is used
    EXPECT_EQ(vocabulary.encode("②"),
              vocabulary.sample("②", kind[0] == 'b' ? 0 : 1000, make_key(1)));
    EXPECT_EQ(vocabulary.encode("②").back(), Vocabulary::unknown);
  }
}

TEST(Vocabulary, ThreadsMayShareIt) {
  const Vocabulary& vocabulary = small_vocabulary(VocabularyKind::unigram);
  std::vector<Ids> found(4);
  std::vector<std::thread> threads;
  for (Ids& ids : found)
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < 200; ++i) {
        for (const int32_t id : vocabulary.sample(made_up_sentence(i), 0.5, make_key(i)))
          ids.push_back(id);
        for (const int32_t id : vocabulary.encode(made_up_sentence(i))) ids.push_back(id);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const Ids& ids : found) EXPECT_EQ(ids, found[0]);
}

TEST(Vocabulary, BadBytesAreRefused) {
  EXPECT_EQ(error_of([] { Vocabulary::from_bytes("garbage", "m.spm"); }),
            "m.spm: is not a SentencePiece model");
  EXPECT_EQ(error_of([] { Vocabulary::load("/no/such/file.spm"); }),
            "/no/such/file.spm: cannot be read: No such file or directory");
  const std::string whole = small_vocabulary(VocabularyKind::unigram).bytes();
  for (size_t size = 0; size < whole.size(); size += 101)
    EXPECT_NE(error_of([&] { Vocabulary::from_bytes(whole.substr(0, size), "m"); }), "") << size;
}

// As MarianMT has it: one list of tokens, of which the pieces of this side are some.
TEST(VocabularyWithTokens, HasTheIdsOfTheTokens) {
  const Vocabulary& pieces = small_vocabulary(VocabularyKind::unigram);
  const std::string text = made_up_sentence(3);
  const Ids before = pieces.encode(text);
  std::vector<std::string> tokens = {"</s>", "<unk>", ">>fra<<", "\u2581\u00dfuper"};
  for (int32_t id = pieces.size() - 2; id >= 2; --id)
    if (id != before[0]) tokens.push_back(pieces.piece(id));
  tokens.push_back("\u6f22");
  tokens.push_back("<pad>");
  const Vocabulary listed = pieces.with_tokens(tokens);
  EXPECT_TRUE(listed.has_tokens());
  EXPECT_FALSE(pieces.has_tokens());
  ASSERT_EQ(listed.size(), static_cast<int32_t>(tokens.size()));
  for (int32_t id = 0; id < listed.size(); ++id) EXPECT_EQ(listed.piece(id), tokens[id]);
  const Ids ids = listed.encode(text);
  ASSERT_EQ(ids.size(), before.size());
  for (size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(listed.piece(ids[i]), before[i] == before[0] ? "<unk>" : pieces.piece(before[i]))
        << i;
  // A code is one token, also where it is unknown; a character may be a token and no piece.
  EXPECT_EQ(listed.encode(">>fra<< " + text).front(), 2);
  EXPECT_EQ(listed.encode(">>xyz<< " + text).front(), Vocabulary::unknown);
  EXPECT_EQ(listed.encode(">>fra<< " + text).size(), ids.size() + 1);
  const std::vector<TextRange> ranges = listed.encoded_ranges(">>fra<< " + text);
  ASSERT_EQ(ranges.size(), ids.size() + 1);
  EXPECT_EQ(ranges.front(), (TextRange{0, 7}));
  EXPECT_EQ(ranges.back().end, 8 + text.size());
  EXPECT_EQ(listed.sample(">>fra<< " + text, 0.5, make_key(1)).front(), 2);
  EXPECT_EQ(listed.encode("\u6f22").back(), listed.size() - 2);
  EXPECT_EQ(listed.decode(Ids{3, listed.size() - 2, 3}), "\u00dfuper\u6f22 \u00dfuper");
  EXPECT_EQ(listed.model_id(5), 5);
  EXPECT_EQ(Vocabulary::from_bytes(listed.bytes()).encode(text), ids);
  EXPECT_EQ(listed.plain_bytes(), pieces.bytes());
  EXPECT_TRUE(listed.same_ids(small_vocabulary(VocabularyKind::words).with_tokens(tokens)));
  EXPECT_FALSE(listed.same_ids(pieces));
}

TEST(VocabularyWithTokens, RefusesListsThatAreNone) {
  const Vocabulary& pieces = small_vocabulary(VocabularyKind::words);
  const auto refusal = [&](const std::vector<std::string>& tokens) {
    return error_of([&] { pieces.with_tokens(tokens, "a.spm"); });
  };
  EXPECT_EQ(refusal({"<unk>", "</s>", "<pad>"}),
            "a.spm: the list of tokens does not begin with </s> and <unk> and end with <pad>");
  EXPECT_EQ(refusal({"</s>", "<unk>", "a", "a", "<pad>"}), "a.spm: the token \"a\" occurs twice");
  EXPECT_EQ(refusal({"</s>", "<unk>", "\xff", "<pad>"}),
            "a.spm: \"\uFFFD\" in the list of tokens is not text");
  const std::vector<std::string> good = {"</s>", "<unk>", "<pad>"};
  const std::string more = pieces.with_tokens(good).bytes() + pieces.bytes();
  EXPECT_EQ(error_of([&] { Vocabulary::from_bytes(more, "a.spm"); }),
            "a.spm: something follows the list of tokens");
}

}  // namespace
}  // namespace heed
