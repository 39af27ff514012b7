#include "heed/data/labelled_examples.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_word_pieces.h"

namespace heed {
namespace {

using testing::error_of;
using Ids = std::vector<int32_t>;

Ids ids(std::span<const int32_t> given) { return {given.begin(), given.end()}; }

LabelledExamples maker(const LabelledExamplesConfig& config = {}) {
  return {WordPieces::from_json(testing::small_tokenizer_json()), {"a", "b", "c"}, config};
}

TEST(LabelledExamples, AreATextAndItsLabel) {
  EncodedExamples examples;
  EXPECT_TRUE(maker().add({"the playing", "b"}, make_key(1), examples));
  EXPECT_EQ(ids(examples.source(0)), (Ids{2, 8, 5, 6, 3}));
  EXPECT_EQ(ids(examples.target(0)), (Ids{1}));
  EXPECT_FALSE(maker().varies());
}

TEST(LabelledExamples, OfSeveralLabelsHaveAnAnswerForEach) {
  EncodedExamples examples;
  const LabelledExamples several = maker({.several_labels = true});
  several.add({"the", "c\ta"}, make_key(1), examples);
  several.add({"the", ""}, make_key(1), examples);
  EXPECT_EQ(ids(examples.target(0)), (Ids{1, 0, 1}));
  EXPECT_EQ(ids(examples.target(1)), (Ids{0, 0, 0}));
}

TEST(LabelledExamples, TooLongATextLosesItsEnd) {
  EncodedExamples examples;
  EXPECT_TRUE(maker({.max_length = 4}).add({"the the the the", "b"}, make_key(1), examples));
  EXPECT_EQ(ids(examples.source(0)), (Ids{2, 8, 8, 3}));
}

TEST(LabelledExamples, SomeTokensAreHiddenOthersInEachEpoch) {
  const LabelledExamples hiding = maker({.hidden = 0.5});
  EXPECT_TRUE(hiding.varies());
  EncodedExamples examples;
  for (uint64_t key = 0; key < 100; ++key)
    hiding.add({"the the the the", "b"}, make_key(key), examples);
  int64_t hidden = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    const Ids source = ids(examples.source(i));
    EXPECT_EQ(source.front(), 2);
    EXPECT_EQ(source.back(), 3);
    for (size_t t = 1; t < 5; ++t) {
      EXPECT_TRUE(source[t] == 8 || source[t] == 4);
      hidden += source[t] == 4;
    }
  }
  EXPECT_NEAR(static_cast<double>(hidden), 200, 40);  // a deviation of 10
}

TEST(LabelledExamples, WordsAreSplitInOtherWaysInEachEpoch) {
  const LabelledExamples sampling = maker({.sampling = 0.5});
  EXPECT_TRUE(sampling.varies());
  EncodedExamples examples;
  for (uint64_t key = 0; key < 100; ++key) sampling.add({"ab", "b"}, make_key(key), examples);
  int64_t whole = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    const Ids source = ids(examples.source(i));
    EXPECT_TRUE(source == (Ids{2, 13, 3}) || source == (Ids{2, 10, 11, 3}));
    whole += source.size() == 3;
  }
  EXPECT_NEAR(static_cast<double>(whole), 50, 25);  // a deviation of 5
}

TEST(LabelledExamples, RefuseLabelsThatDoNotFit) {
  EncodedExamples examples;
  EXPECT_EQ(error_of([&] {
              maker().add({"the", "x"}, make_key(1), examples);
            }),
            "labels: the model does not know the label \"x\"");
  EXPECT_EQ(error_of([&] {
              maker().add({"the", "a\tb"}, make_key(1), examples);
            }),
            "labels: a text with 2 labels but one was expected");
}

}  // namespace
}  // namespace heed
