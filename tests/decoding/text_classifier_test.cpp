#include "heed/decoding/text_classifier.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
#include "small_classifier.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::small_classifier;
using testing::values_of;

const std::vector<std::string> texts = {"the playing", "", "a naive , the played", "ab ab ab"};

std::vector<ClassifiedText> classified(const ClassifierFolder& folder,
                                       const std::vector<std::string>& given = texts,
                                       const TextClassifierOptions& options = {}, int threads = 1) {
  Workers workers(threads);
  return TextClassifier(*folder.model, folder.pieces, options).classify(given, workers);
}

TEST(TextClassifier, ProbabilitiesAreTheSoftmaxOfTheLogits) {
  const ClassifierFolder folder = small_classifier();
  const std::vector<ClassifiedText> found = classified(folder);
  ASSERT_EQ(found.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<std::vector<int32_t>> ids = {folder.pieces.encode(texts[i])};
    EXPECT_EQ(found[i].ids, ids[0]);
    Tape tape({.record = false});
    const std::vector<double> scores =
        values_of(logits(tape, *folder.model, {join_sentences(ids), {}}).value());
    double sum = 0;
    for (const double x : scores) sum += std::exp(x);
    for (size_t label = 0; label < 3; ++label)
      EXPECT_NEAR(found[i].probabilities[label], std::exp(scores[label]) / sum, 1e-6);
    ASSERT_EQ(found[i].labels.size(), 1u);
    EXPECT_EQ(found[i].labels[0], found[i].likeliest());
  }
}

TEST(TextClassifier, OfSeveralLabelsGivesAllThatAreAsLikelyAsNot) {
  const ClassifierFolder folder = small_classifier(TextPooling::max, true);
  bool differ = false;
  for (const ClassifiedText& text : classified(folder)) {
    std::vector<int32_t> expected;
    for (size_t label = 0; label < 3; ++label)
      if (text.probabilities[label] >= 0.5f) expected.push_back(static_cast<int32_t>(label));
    EXPECT_EQ(text.labels, expected);
    differ = differ || expected.size() != 1;
  }
  EXPECT_TRUE(differ);
}

TEST(TextClassifier, ATextDoesNotDependOnOthersNorOnThreads) {
  std::vector<std::string> many;
  for (int i = 0; i < 60; ++i) many.insert(many.end(), texts.begin(), texts.end());
  for (const TextPooling pooling : {TextPooling::mean, TextPooling::attention}) {
    const ClassifierFolder folder = small_classifier(pooling);
    for (const int threads : {1, 3}) {
      const auto together = classified(folder, many, {.want_words = true}, threads);
      for (size_t i = 0; i < many.size(); i += 17) {
        const ClassifiedText alone = classified(folder, {many[i]}, {.want_words = true})[0];
        EXPECT_EQ(together[i].probabilities, alone.probabilities);
        ASSERT_EQ(together[i].words.size(), alone.words.size());
        for (size_t w = 0; w < alone.words.size(); ++w)
          EXPECT_EQ(together[i].words[w].weight, alone.words[w].weight);
      }
    }
  }
}

TEST(TextClassifier, WordsAreWholeAndWithoutTheFrame) {
  const ClassifiedText text =
      classified(small_classifier(), {"the playing, a"}, {.want_words = true})[0];
  std::vector<std::string> words;
  for (const WeightedWord& word : text.words) words.push_back(word.word);
  EXPECT_EQ(words, (std::vector<std::string>{"the", "playing", ",", "a"}));
  EXPECT_TRUE(classified(small_classifier(), {"the"})[0].words.empty());
}

// Attention that pools: with a query of zeros, all tokens count alike.
TEST(TextClassifier, WeightsAreThoseOfThePooling) {
  const ClassifiedText text = classified(small_classifier(TextPooling::attention), {"the playing"},
                                         {.want_words = true})[0];
  ASSERT_EQ(text.ids.size(), 5u);  // [CLS] the play ##ing [SEP]
  EXPECT_NEAR(text.words[0].weight, 0.2, 1e-6);
  EXPECT_NEAR(text.words[1].weight, 0.4, 1e-6);
}

// The score of the label changes as gradient × input says when a word's embedding is scaled.
TEST(TextClassifier, OtherwiseWeightsAreGradientTimesInput) {
  const ClassifierFolder folder = small_classifier(TextPooling::first);
  const ClassifiedText text = classified(folder, {"the a"}, {.want_words = true})[0];
  const TokenBatch batch = join_sentences(std::vector<std::vector<int32_t>>{text.ids});
  Tape tape({.record = false});
  const Tensor embedded = folder.model->encoder().embedded(tape, batch).value();
  const auto score = [&](double factor) {
    Tensor changed = embedded.clone();
    for (float& x : changed.row<float>(1)) x = static_cast<float>(x * factor);  // "the"
    const Variable encoded =
        folder.model->encoder().encode_embedded(tape.constant(changed), batch.layout);
    return folder.model->logits_of(encoded, batch.layout).value()[text.likeliest()];
  };
  const double step = 0.02;
  EXPECT_NEAR(text.words[0].weight, (score(1 + step) - score(1 - step)) / (2 * step), 1e-3);
  EXPECT_GT(std::abs(text.words[0].weight), 1e-3);
}

TEST(TextClassifier, ATextThatIsTooLongLosesItsEnd) {
  const std::string longer(40, ',');
  const ClassifiedText text = classified(small_classifier(), {longer})[0];
  EXPECT_TRUE(text.cut);
  EXPECT_EQ(text.ids.size(), 12u);
}

TEST(TextClassifier, SaysWhenItsNumbersAreNone) {
  ClassifierFolder folder = small_classifier();
  folder.model->visit_parameters({}, [](const std::string& name, Tensor& value) {
    if (name == "classifier.bias") value = Tensor::full(value.shape(), std::nanf(""));
  });
  EXPECT_EQ(testing::error_of([&] { classified(folder); }),
            "classify: what the model makes of a text are not numbers");
}

}  // namespace
}  // namespace heed
