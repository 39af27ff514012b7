#include "heed/layers/embedding.h"

#include <cmath>

#include "heed/base/error.h"
#include "layer_checks.h"

namespace heed {
namespace {

using heed::testing::check_layer;
using heed::testing::close_tensors;
using heed::testing::random_tensor;

const std::vector<int32_t> ids = {2, 0, 2, 4};

TEST(Embedding, GivesTheRowsOfItsTable) {
  Rng rng(1);
  Embedding plain(5, 3, rng);
  const Tensor table = parameters_of(plain)[0].value;
  Tape tape;
  const Tensor rows = plain(tape, ids).value();
  EXPECT_EQ(rows.shape(), (Shape{4, 3}));
  EXPECT_TRUE(close_tensors(rows.slice(0, 1), table.slice(2, 3), 0, 0));
  EXPECT_TRUE(close_tensors(rows.slice(3, 4), table.slice(4, 5), 0, 0));
}

TEST(Embedding, WhatComesOutHasDeviationOneScaledOrNot) {
  for (const bool scaled : {false, true}) {
    Rng rng(1);
    Embedding layer(100, 64, rng, {.scaled = scaled});
    std::vector<int32_t> all(100);
    for (int32_t id = 0; id < 100; ++id) all[static_cast<size_t>(id)] = id;
    Tape tape;
    const Tensor rows = layer(tape, all).value();
    double squares = 0;
    for (const float x : rows.span<float>()) squares += static_cast<double>(x) * x;
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(rows.elements())), 1.0, 0.03);
  }
}

TEST(Embedding, ScalesBySqrtOfWidth) {
  Rng rng(1);
  Embedding layer(5, 9, rng, {.scaled = true});
  const Tensor table = parameters_of(layer)[0].value;
  Tape tape;
  EXPECT_FLOAT_EQ(static_cast<float>(layer(tape, ids).value()[0]),
                  static_cast<float>(3.0 * table[2 * 9]));
}

TEST(Embedding, TiedTableCollectsTheGradientsOfBothUses) {
  Rng rng(1);
  Embedding layer(5, 3, rng, {.scaled = true});
  const GradientCheckResult result = check_layer(
      layer, {},
      [&](Tape& tape, const std::vector<Variable>&) { return layer.project(layer(tape, ids)); });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(Embedding, ProjectGivesOneScorePerWord) {
  Rng rng(1);
  Embedding layer(5, 3, rng);
  EXPECT_EQ(layer.vocabulary(), 5);
  EXPECT_EQ(layer.width(), 3);
  Tape tape;
  EXPECT_EQ(layer.project(tape.constant(random_tensor({2, 7, 3}, 1))).shape(), (Shape{2, 7, 5}));
}

TEST(Embedding, RefusesSizesAndIdsThatCannotBe) {
  Rng rng(1);
  EXPECT_THROW(Embedding(0, 3, rng), Error);
  EXPECT_THROW(Embedding(5, -3, rng, {.scaled = true}), Error);
  Tape tape;
  EXPECT_THROW(Embedding(5, 3, rng)(tape, std::vector<int32_t>{5}), Error);
}

}  // namespace
}  // namespace heed
