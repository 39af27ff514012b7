#include "heed/attention/score_layer.h"

#include <gtest/gtest.h>

#include <map>

#include "attention_checks.h"
#include "error_of.h"
#include "heed/attention/attend.h"

namespace heed {
namespace {

using testing::all_scores;
using testing::check_layer;
using testing::error_of;
using testing::random_tensor;

constexpr ScoreSizes sizes{.query_width = 4, .key_width = 4, .hidden = 3, .bandwidth = 0.75};

ScoreLayer make_layer(ScoreKind kind, const ScoreSizes& of = sizes) {
  Rng rng(7);
  return ScoreLayer(kind, of, rng);
}

TEST(ScoreLayer, ShowsItsParametersByName) {
  using Shapes = std::map<std::string, std::string>;
  const std::map<ScoreKind, Shapes> expected = {
      {ScoreKind::dot, {}},
      {ScoreKind::scaled_dot, {}},
      {ScoreKind::cosine, {}},
      {ScoreKind::bilinear, {{"score.weight", "(4, 6)"}}},
      {ScoreKind::additive,
       {{"score.query.weight", "(3, 4)"},
        {"score.key.weight", "(3, 6)"},
        {"score.value.weight", "(3)"}}},
      {ScoreKind::gaussian, {{"score.bandwidth", "(1)"}}},
  };
  for (const ScoreKind kind : all_scores) {
    ScoreLayer layer = make_layer(kind, {.query_width = 4, .key_width = 6, .hidden = 3});
    Shapes found;
    for (const Parameter& parameter : parameters_of(layer, "score"))
      found[parameter.name] = parameter.value.shape().text();
    EXPECT_EQ(found, expected.at(kind)) << name_of(kind);
    EXPECT_EQ(layer.kind(), kind);
  }
}

TEST(ScoreLayer, GivesTheScoreOfItsKind) {
  for (const ScoreKind kind : all_scores) {
    Tape tape;
    EXPECT_EQ(kind_of(make_layer(kind).on(tape)), kind);
  }
}

TEST(ScoreLayer, TakesTheQueryWidthForAHiddenSizeThatIsNotGiven) {
  ScoreLayer layer = make_layer(ScoreKind::additive, {.query_width = 4, .key_width = 6});
  EXPECT_EQ(parameters_of(layer)[2].value.shape(), Shape{4});
}

TEST(ScoreLayer, BeginsWithTheGivenBandwidth) {
  ScoreLayer layer = make_layer(ScoreKind::gaussian);
  EXPECT_EQ(parameters_of(layer)[0].value[0], 0.75);
  EXPECT_EQ(error_of([] { make_layer(ScoreKind::gaussian, {.bandwidth = 0.0}); }),
            "score: a gaussian bandwidth of 0");
}

TEST(ScoreLayer, BeginsWithWeightsThatDependOnTheGenerator) {
  Rng rng(7);
  ScoreLayer first(ScoreKind::bilinear, sizes, rng), second(ScoreKind::bilinear, sizes, rng);
  EXPECT_NE(parameters_of(first)[0].value[0], parameters_of(second)[0].value[0]);
}

TEST(ScoreLayer, LearnsThroughAttention) {
  for (const ScoreKind kind : all_scores) {
    ScoreLayer layer = make_layer(kind);
    const GradientCheckResult result = check_layer(
        layer, {random_tensor({3, 4}, 1), random_tensor({5, 4}, 2), random_tensor({5, 2}, 3)},
        [&](Tape& tape, const std::vector<Variable>& inputs) {
          return attend({.queries = inputs[0],
                         .keys = inputs[1],
                         .values = inputs[2],
                         .score = layer.on(tape)})
              .output;
        });
    EXPECT_TRUE(result.passed) << name_of(kind) << ": " << result.complaint;
  }
}

}  // namespace
}  // namespace heed
