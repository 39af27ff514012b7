#include "heed/decoding/classifier_ensemble.h"

#include <gtest/gtest.h>

#include <utility>

#include "error_of.h"
#include "small_classifier.h"
#include "temporary_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> texts = {"the playing", "", "a naive , the played", "ab ab ab"};

std::vector<ClassifiedText> alone(const ClassifierFolder& folder, bool words = false) {
  Workers workers(1);
  return TextClassifier(*folder.model, folder.pieces, {.want_words = words})
      .classify(texts, workers);
}

class ClassifierEnsembleTest : public ::testing::Test {
 protected:
  fs::path put(const std::string& name, const ClassifierFolder& folder) const {
    fs::create_directories(folder_.path(name));
    save_classifier_folder(folder_.path(name), folder);
    return folder_.path(name);
  }

  static std::vector<ClassifiedText> together(const std::vector<fs::path>& folders,
                                              bool words = false, int threads = 1) {
    Workers workers(threads);
    return ClassifierEnsemble::load(folders, {.want_words = words}).classify(texts, workers);
  }

  testing::TemporaryFolder folder_;
};

ClassifierFolder model(uint64_t seed, TextPooling pooling = TextPooling::mean,
                       bool several = false) {
  ClassifierFolder folder = testing::small_classifier(pooling, several);
  Rng rng(seed);
  folder.model = std::make_unique<Classifier>(folder.config, rng);
  return folder;
}

// The same model, but for the order of its labels.
ClassifierFolder with_swapped_labels(ClassifierFolder folder) {
  std::swap(folder.labels[0], folder.labels[2]);
  folder.model->visit_parameters({}, [](const std::string& name, Tensor& value) {
    if (name == "classifier.weight")
      std::ranges::swap_ranges(value.row<float>(0), value.row<float>(2));
    if (name == "classifier.bias") std::swap(value.span<float>()[0], value.span<float>()[2]);
  });
  return folder;
}

TEST_F(ClassifierEnsembleTest, OneModelSaysWhatItSaysAlone) {
  for (const bool several : {false, true}) {
    const ClassifierFolder one = model(1, TextPooling::mean, several);
    const auto expected = alone(one, true), found = together({put("one", one)}, true);
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(found[i].ids, expected[i].ids);
      EXPECT_EQ(found[i].probabilities, expected[i].probabilities);
      EXPECT_EQ(found[i].labels, expected[i].labels);
      ASSERT_EQ(found[i].words.size(), expected[i].words.size());
      for (size_t w = 0; w < found[i].words.size(); ++w) {
        EXPECT_EQ(found[i].words[w].word, expected[i].words[w].word);
        EXPECT_EQ(found[i].words[w].weight, expected[i].words[w].weight);
      }
    }
  }
}

TEST_F(ClassifierEnsembleTest, ProbabilitiesAreTheMean) {
  const ClassifierFolder one = model(1), two = model(2), three = model(3);
  const auto a = alone(one), b = alone(two), c = alone(three);
  const std::vector<fs::path> folders = {put("one", one), put("two", two), put("three", three)};
  const auto found = together(folders);
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t label = 0; label < 3; ++label)
      EXPECT_NEAR(
          found[i].probabilities[label],
          (a[i].probabilities[label] + b[i].probabilities[label] + c[i].probabilities[label]) / 3,
          1e-6);
    EXPECT_EQ(found[i].labels, (std::vector<int32_t>{found[i].likeliest()}));
  }
  const auto threaded = together(folders, false, 3);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(threaded[i].probabilities, found[i].probabilities);
}

TEST_F(ClassifierEnsembleTest, LabelsAreMatchedByName) {
  const auto same = together({put("one", model(1)), put("two", model(2))});
  const auto swapped =
      together({fs::path(folder_.path("one")), put("swapped", with_swapped_labels(model(2)))});
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(swapped[i].probabilities, same[i].probabilities);
}

TEST_F(ClassifierEnsembleTest, OfSeveralLabelsGivesAllThatAreAsLikelyAsNot) {
  const auto found = together(
      {put("one", model(1, TextPooling::max, true)), put("two", model(2, TextPooling::max, true))});
  size_t given = 0;
  for (const ClassifiedText& text : found) {
    std::vector<int32_t> expected;
    for (size_t label = 0; label < 3; ++label)
      if (text.probabilities[label] >= 0.5f) expected.push_back(static_cast<int32_t>(label));
    EXPECT_EQ(text.labels, expected);
    given += expected.size();
  }
  EXPECT_NE(given, 0u);
  EXPECT_NE(given, 3 * texts.size());
}

// Each model's weights are those for the label that was given together, which need not be its own.
TEST_F(ClassifierEnsembleTest, WeightsOfWordsAreTheMeanForTheLabelGivenTogether) {
  const ClassifierFolder one = model(1), two = with_swapped_labels(model(2));
  const auto found = together({put("one", one), put("two", two)}, true);
  const TextClassifier first(*one.model, one.pieces), second(*two.model, two.pieces);
  const auto a = alone(one), b = alone(two);
  bool differ = false;
  for (size_t i = 0; i < texts.size(); ++i) {
    const int32_t label = found[i].likeliest();
    const auto x = first.words(a[i], label), y = second.words(b[i], 2 - label);
    ASSERT_EQ(found[i].words.size(), x.size());
    for (size_t w = 0; w < x.size(); ++w) {
      EXPECT_EQ(found[i].words[w].word, x[w].word);
      EXPECT_NEAR(found[i].words[w].weight, (x[w].weight + y[w].weight) / 2, 1e-6);
    }
    differ = differ || label != a[i].likeliest() || 2 - label != b[i].likeliest();
  }
  EXPECT_TRUE(differ);  // otherwise the models' own labels would do
}

TEST_F(ClassifierEnsembleTest, ATextIsCutIfAnyModelCutsIt) {
  ClassifierFolder wide = model(1);
  wide.config.encoder.context_length = 100;
  Rng rng(1);
  wide.model = std::make_unique<Classifier>(wide.config, rng);
  const std::vector<fs::path> folders = {put("wide", wide), put("two", model(2))};
  const auto ensemble = ClassifierEnsemble::load(folders, {.want_words = true});
  EXPECT_EQ(ensemble.max_length(), 12);
  Workers workers(1);
  const std::vector<std::string> longer = {std::string(40, ','), "the"};
  const auto found = ensemble.classify(longer, workers);
  EXPECT_TRUE(found[0].cut);
  EXPECT_FALSE(found[1].cut);
  EXPECT_EQ(found[0].words.size(), 40u);  // the second model gives most of them no weight
}

TEST_F(ClassifierEnsembleTest, RefusesModelsThatDoNotGoTogether) {
  const auto refusal = [&](const ClassifierFolder& other, bool words = false) {
    const std::vector<fs::path> folders = {put("one", model(1)), put("other", other)};
    return testing::error_of([&] { ClassifierEnsemble::load(folders, {.want_words = words}); });
  };
  const std::string other = folder_.path("other");
  ClassifierFolder renamed = model(2);
  renamed.labels[1] = "worse";
  EXPECT_EQ(refusal(renamed),
            other + ": the model does not know the label \"bad\" of the first model");
  ClassifierFolder more = model(2);
  more.labels.emplace_back("more");
  more.config.labels = 4;
  Rng rng(2);
  more.model = std::make_unique<Classifier>(more.config, rng);
  EXPECT_EQ(refusal(more),
            other + ": the first model does not know the label \"more\" of this one");
  EXPECT_EQ(refusal(model(2, TextPooling::mean, true)),
            other + ": gives a text several labels but the first model one");
  EXPECT_EQ(refusal(model(2, TextPooling::attention)), "(nothing was thrown)");
  EXPECT_EQ(refusal(model(2, TextPooling::attention), true),
            other +
                ": words have weights of attention but in the first model of gradients, which "
                "cannot be averaged");
  EXPECT_EQ(testing::error_of([] { ClassifierEnsemble::load({}); }), "classify: there is no model");
}

}  // namespace
}  // namespace heed
