#include "heed/app/cli/translation_text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

Translation translation(const std::string& text, double score) {
  Translation made;
  made.text = text;
  made.hypothesis.score = score;
  made.hypothesis.log_probability = 2 * score;
  made.alignment.parts = {Tensor::of({2, 2}, {0.25f, 0.75f, 0.5f, 0.125f})};
  return made;
}

const std::vector<Translation> ranked = {translation("ein haus", -0.5),
                                         translation("das\nhaus", -1.25)};

TEST(TranslationText, IsTheBestTranslation) {
  EXPECT_EQ(translation_text(ranked, 3, "a house", {}), "ein haus");
  EXPECT_EQ(translation_text({}, 3, "", {}), "");
}

TEST(TranslationText, ScoresStandInFront) {
  EXPECT_EQ(translation_text(ranked, 3, "a house", {.scores = true}), "-0.5\tein haus");
  EXPECT_EQ(translation_text({}, 3, "", {.scores = true}), "0\t");
}

TEST(TranslationText, SeveralTranslationsHaveALineEach) {
  EXPECT_EQ(translation_text(ranked, 3, "a house", {.n_best = true}),
            "3 ||| ein haus ||| -0.5\n3 ||| das haus ||| -1.25");
  EXPECT_EQ(translation_text({}, 4, "", {.n_best = true}), "4 |||  ||| 0");
}

TEST(TranslationText, AlignmentsStandAtTheEnd) {
  EXPECT_EQ(translation_text(ranked, 3, "a house", {.alignment = AlignmentFormat::pharaoh}),
            "ein haus ||| 1-0 0-1");
  EXPECT_EQ(
      translation_text(ranked, 3, "a house", {.scores = true, .alignment = AlignmentFormat::soft}),
      "-0.5\tein haus ||| 0.25,0.75 0.5,0.125");
  EXPECT_EQ(translation_text({}, 3, "", {.alignment = AlignmentFormat::pharaoh}), " ||| ");
}

TEST(TranslationText, WordsGiveNothingToOtherPartsOfALongLine) {
  Translation line = translation("ein haus und", -0.5);
  line.alignment.parts.push_back(Tensor::of({1, 1}, {0.5f}));
  const auto text = [&](TranslationFormat format) {
    return translation_text({&line, 1}, 0, "a house and", format);
  };
  EXPECT_EQ(text({.alignment = AlignmentFormat::soft}),
            "ein haus und ||| 0.25,0.75,0 0.5,0.125,0 0,0,0.5");
  EXPECT_EQ(text({.alignment = AlignmentFormat::pharaoh}), "ein haus und ||| 1-0 0-1 2-2");
  EXPECT_NE(text({.json = true, .alignment = AlignmentFormat::soft})
                .find(R"("alignment":[[0.25,0.75,0.0],[0.5,0.125,0.0],[0.0,0.0,0.5]])"),
            std::string::npos);
}

TEST(TranslationText, SoftAlignmentsOfVeryLongLinesAreLeftOut) {
  Translation line = translation("ein haus", -0.5);
  EXPECT_TRUE(has_few_weights(line.alignment));
  // Two million weights, but all words of the target times all of the source are 1e10.
  line.alignment.parts.assign(5000, Tensor::zeros({100, 100}).slice(0, 4));
  EXPECT_FALSE(has_few_weights(line.alignment));
  EXPECT_EQ(translation_text({&line, 1}, 0, "a house", {.alignment = AlignmentFormat::soft}),
            "ein haus ||| ");
  EXPECT_EQ(translation_text({&line, 1}, 0, "a house",
                             {.json = true, .alignment = AlignmentFormat::soft}),
            R"({"source":"a house","translations":[)"
            R"({"text":"ein haus","score":-0.5,"log-probability":-1.0}]})");
  EXPECT_EQ(line.alignment.links().size(), 20000u);
}

TEST(TranslationText, JsonHasEverything) {
  EXPECT_EQ(translation_text(ranked, 3, "a \"house\"", {.json = true}),
            R"({"source":"a \"house\"","translations":[)"
            R"({"text":"ein haus","score":-0.5,"log-probability":-1.0},)"
            R"({"text":"das haus","score":-1.25,"log-probability":-2.5}]})");
  EXPECT_EQ(
      translation_text(std::span(ranked).first(1), 3, "x",
                       {.json = true, .alignment = AlignmentFormat::pharaoh}),
      R"({"source":"x","translations":[)"
      R"({"text":"ein haus","score":-0.5,"log-probability":-1.0,"alignment":[[1,0],[0,1]]}]})");
  EXPECT_EQ(translation_text(std::span(ranked).first(1), 3, "x",
                             {.json = true, .alignment = AlignmentFormat::soft}),
            R"({"source":"x","translations":[)"
            R"({"text":"ein haus","score":-0.5,"log-probability":-1.0,)"
            R"("alignment":[[0.25,0.75],[0.5,0.125]]}]})");
  EXPECT_EQ(translation_text({}, 3, "", {.json = true}), R"({"source":"","translations":[]})");
}

}  // namespace
}  // namespace heed
