#include "heed/data/source_tags.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.h"
#include "heed/data/tag_name.h"
#include "heed/data/vocabulary_training.h"
#include "heed/data/word_vocabulary.h"
#include "made_up_input.h"
#include "sample_text.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;
using testing::made_up_sentence;
using testing::small_vocabulary;
using Names = std::vector<std::string>;

Vocabulary vocabulary_of(VocabularyKind kind) {
  uint64_t next = 0;
  return train_vocabulary({.kind = kind}, [&](std::string& sentence) {
    sentence = made_up_sentence(next);
    return next++ < 300;
  });
}

class TagsOfEveryVocabulary : public ::testing::TestWithParam<VocabularyKind> {};

TEST_P(TagsOfEveryVocabulary, AreTokensThatNoTextIsSplitInto) {
  const Vocabulary plain = vocabulary_of(GetParam());
  const Names names = {"fra", "legal"};
  const Vocabulary vocabulary = with_tags(plain, names);
  EXPECT_EQ(vocabulary.size(), plain.size() + 2);
  const SourceTags tags(vocabulary, names);
  EXPECT_EQ(tags.names(), names);
  EXPECT_EQ(tags.longest(), 1u);
  for (size_t i = 0; i < names.size(); ++i) {
    const TagIds ids = {plain.start() + static_cast<int32_t>(i)};
    EXPECT_EQ(tags.ids_of(names[i]), ids);
    EXPECT_EQ(tags.ids_of(token_of_tag(names[i])), ids);
    EXPECT_EQ(vocabulary.piece(ids.front()), token_of_tag(names[i]));
  }
  // Other ids stay what they are, and so do samples.
  for (uint64_t i = 0; i < 20; ++i) {
    const std::string text = made_up_sentence(i);
    EXPECT_EQ(vocabulary.encode(text), plain.encode(text));
    EXPECT_EQ(vocabulary.sample(text, 0.2, make_key(i)), plain.sample(text, 0.2, make_key(i)));
  }
  for (const char* text : {">>legal<<", ">>legal<< ba", "ba >>legal<<", "ba>>legal<<ba"})
    for (const std::vector<int32_t>& ids :
         {vocabulary.encode(text), vocabulary.sample(text, 0.2, make_key(1))})
      EXPECT_TRUE(std::ranges::all_of(ids, [&](int32_t id) { return id < plain.start(); })) << text;
  // They are kept with the vocabulary.
  EXPECT_EQ(SourceTags(Vocabulary::from_bytes(vocabulary.bytes()), {}).names(), names);
  EXPECT_EQ(with_tags(vocabulary, names).bytes(), vocabulary.bytes());
}

std::string name_of_kind(const ::testing::TestParamInfo<VocabularyKind>& tested) {
  constexpr const char* names[] = {"Unigram", "Bpe", "Characters", "Words"};
  return names[static_cast<size_t>(tested.param)];
}

INSTANTIATE_TEST_SUITE_P(All, TagsOfEveryVocabulary,
                         ::testing::Values(VocabularyKind::unigram, VocabularyKind::bpe,
                                           VocabularyKind::characters, VocabularyKind::words),
                         name_of_kind);

TEST(SourceTags, AreSpelledWhereTheVocabularyIsOlder) {
  const Vocabulary& vocabulary = small_vocabulary();
  const SourceTags tags(vocabulary, Names{"ba"});
  EXPECT_EQ(tags.ids_of("ba"), vocabulary.encode("ba"));  // it has no brackets
  const Vocabulary brackets =
      train_vocabulary({.kind = VocabularyKind::characters}, [left = 1](std::string& text) mutable {
        text = "ab << >>";
        return left-- > 0;
      });
  const SourceTags spelled(brackets, Names{"ab", "b"});
  EXPECT_EQ(spelled.ids_of("ab"), brackets.encode(">>ab<<"));
  EXPECT_EQ(spelled.longest(), 7u);
  EXPECT_EQ(error_of([&] { SourceTags(brackets, Names{"x"}); }),
            "the tag \"x\": the vocabulary of the model, which has no token for it, lacks its "
            "characters, too");
}

// The codes of languages of models that translate into several.
TEST(SourceTags, AreWhatTheTokensOfOtherToolsAre) {
  const Names tokens = {"</s>", "<unk>", ">>fra<<", "▁ba", ">>spa<<", ">>ba<<", "<pad>"};
  const Vocabulary vocabulary = small_vocabulary().with_tokens(tokens);
  const SourceTags tags(vocabulary, {});
  EXPECT_EQ(tags.names(), (Names{"ba", "fra", "spa"}));
  EXPECT_EQ(tags.ids_of("fra"), TagIds{2});
  EXPECT_EQ(tags.ids_of(">>spa<<"), TagIds{4});
  EXPECT_EQ(with_tags(vocabulary, Names{"legal"}).bytes(), vocabulary.bytes());
  // Text like any other: its first piece is no token of this model.
  EXPECT_EQ(error_of([&] { SourceTags(vocabulary, Names{"ko"}); }),
            "the tag \"ko\": the vocabulary of the model, which has no token for it, lacks its "
            "characters, too");
  // Words that a text has.
  const Vocabulary words = word_vocabulary(Names{">>fra<<", "ba"});
  EXPECT_EQ(SourceTags(words, {}).ids_of("fra"), words.encode(">>fra<<"));
}

TEST(SourceTags, NameThoseThatThereAre) {
  const Vocabulary vocabulary = with_tags(small_vocabulary(), Names{"it", "legal"});
  const SourceTags tags(vocabulary, {});
  EXPECT_TRUE(tags.ids_of("").empty());
  EXPECT_EQ(error_of([&] { tags.ids_of("fra"); }), "the tag \"fra\": the model has it, legal");
  EXPECT_EQ(error_of([] { SourceTags().ids_of("fra"); }), "the tag \"fra\": the model has no tags");
  Names many;
  for (int i = 100; i < 125; ++i) many.push_back(fmt::format("{}", i));
  const std::string error =
      error_of([&] { SourceTags(with_tags(small_vocabulary(), many), many).ids_of("fra"); });
  EXPECT_TRUE(error.ends_with("118, 119 and 5 more")) << error;
}

TEST(SourceTags, MustDiffer) {
  // This one writes everything in lower case.
  testing::MadeUpInput input(100);
  std::string bytes;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      {{"model_type", "char"}, {"normalization_rule_name", "nmt_nfkc_cf"}, {"minloglevel", "3"}},
      &input, &bytes);
  ASSERT_TRUE(status.ok()) << status.message();
  const Vocabulary vocabulary = Vocabulary::from_bytes(bytes);
  EXPECT_EQ(error_of([&] {
              SourceTags(vocabulary, Names{"Ba", "ba"});
            }),
            "the tags \"Ba\" and \"ba\" are the same in the vocabulary of the model");
}

TEST(SourceTags, OfALineAreItsOwnOrThoseOfAll) {
  const std::vector<TagIds> one = {{3}}, two = {{4}, {5, 6}};
  EXPECT_TRUE(tag_of_line({}, 7).empty());
  EXPECT_EQ(tag_of_line(one, 7), TagIds{3});
  EXPECT_EQ(tag_of_line(two, 1), (TagIds{5, 6}));
}

TEST(SourceTags, OfACorpusAreEachThereOnce) {
  const testing::TemporaryFolder folder;
  CorpusWriter writer(folder.path("corpus"));
  for (const char* tag : {"legal", "", "it", "legal"})
    writer.add({.source = "a", .target = "b", .tag = tag});
  writer.commit();
  EXPECT_EQ(tags_in(CorpusStore(folder.path("corpus"))), (std::set<std::string>{"it", "legal"}));
}

}  // namespace
}  // namespace heed
