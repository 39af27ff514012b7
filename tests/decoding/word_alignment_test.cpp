#include "heed/decoding/word_alignment.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/data/word_vocabulary.h"
#include "small_moses.h"
#include "small_vocabulary.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::values_of;
using Ids = std::vector<int32_t>;
using Links = std::vector<WordAlignment::Link>;

// Two vocabularies of whole words: "a b c" and "x y".
const Vocabulary source = word_vocabulary(std::vector<std::string>{"a", "b", "c"}),
                 target = word_vocabulary(std::vector<std::string>{"x", "y"});

TEST(WordAlignment, LeavesOutTheSentencesEnd) {
  const Ids source_ids = {2, 3, 4, Vocabulary::end}, target_ids = {3, 2};
  const Tensor attention =
      Tensor::of({2, 4}, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.25f, 0.125f, 0.125f});
  const WordAlignment alignment = align_words(attention, source_ids, source, target_ids, target);
  ASSERT_EQ(alignment.parts.size(), 1u);
  EXPECT_EQ(alignment.parts[0].shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(alignment.parts[0]),
            values_of(Tensor::of({2, 3}, {0.1f, 0.2f, 0.3f, 0.5f, 0.25f, 0.125f})));
  EXPECT_EQ(alignment.links(), (Links{{2, 0}, {0, 1}}));
}

TEST(WordAlignment, AddsUpThePiecesOfASourceWordAndAveragesThoseOfATargetWord) {
  const Vocabulary pieces = testing::small_vocabulary();
  // Find a word of several pieces.
  Ids two_words;
  for (const std::string& sentence : testing::made_up_sentences(200)) {
    const Ids ids = pieces.encode(sentence);
    const std::vector<bool> starts = pieces.word_starts(ids);
    for (size_t i = 1; i < ids.size() && two_words.empty(); ++i)
      if (starts[i - 1] && !starts[i]) two_words = {ids[i - 1], ids[i], ids[i - 1]};
  }
  ASSERT_EQ(two_words.size(), 3u);
  const Tensor attention =
      Tensor::of({3, 3}, {0.5f, 0.25f, 0.25f, 0.0f, 0.5f, 0.5f, 0.125f, 0.125f, 0.75f});
  const WordAlignment alignment = align_words(attention, two_words, pieces, two_words, pieces);
  EXPECT_EQ(values_of(alignment.parts[0]), (std::vector<double>{0.625, 0.375, 0.25, 0.75}));
  EXPECT_EQ(alignment.links(), (Links{{0, 0}, {1, 1}}));
}

// A mark is a token, but part of a word; a token that is not known is a word.
TEST(WordAlignment, WordsOfMosesAreThoseOfTheText) {
  const Vocabulary moses = testing::small_moses_vocabulary();
  EXPECT_EQ(words_of(moses.encode("bako, 猫 ten."), moses),
            (std::vector<int64_t>{0, 0, 0, 1, 2, 2}));
}

TEST(WordAlignment, OfPartsStandsAlongTheDiagonal) {
  const WordAlignment both = {
      {Tensor::of({1, 2}, {0.25f, 0.75f}), Tensor::of({2, 1}, {1.0f, 0.5f})}};
  EXPECT_EQ(both.source_words(), 3);
  EXPECT_EQ(both.target_words(), 3);
  EXPECT_EQ(both.links(), (Links{{1, 0}, {2, 1}, {2, 2}}));
}

TEST(WordAlignment, OfAPartWithoutSourceWordsHasNoLinks) {
  const WordAlignment alignment = {{Tensor::zeros({2, 0}), Tensor::of({1, 1}, {1.0f})}};
  EXPECT_EQ(alignment.links(), (Links{{0, 2}}));
}

TEST(WordAlignment, IsEmptyWhereThereAreNoWords) {
  EXPECT_TRUE(WordAlignment().links().empty());
  const Ids only_end = {Vocabulary::end}, none;
  const WordAlignment alignment =
      align_words(Tensor::zeros({0, 1}), only_end, source, none, target);
  EXPECT_TRUE(alignment.links().empty());
}

TEST(WordAlignment, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              (void)align_words(Tensor::zeros({2, 2}), Ids{2, 0}, source, Ids{2}, target);
            }),
            "align_words: attention (2, 2) for 1 target and 2 source ids");
}

}  // namespace
}  // namespace heed
