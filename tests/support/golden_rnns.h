// The recurrent networks of tests/golden/rnn.py: their settings and weights.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "golden_batch.h"
#include "heed/models/rnn.h"

namespace heed::testing {

struct GoldenRnn {
  std::string name;
  RnnConfig config;

  Rnn model(const TensorFile& file, Type type) const {
    Rng rng(1);
    Rnn made(config, rng);
    made.visit_parameters(name + ".parameter", [&](const std::string& parameter, Tensor& value) {
      const Tensor read = file.read(parameter, type);
      EXPECT_EQ(read.shape(), value.shape()) << parameter;
      value = read;
    });
    return made;
  }
};

inline std::vector<GoldenRnn> golden_rnns() {
  const RnnConfig small{
      .source_vocabulary = 11, .target_vocabulary = 11, .embedding = 4, .hidden = 6};
  std::vector<GoldenRnn> cases;
  const auto add = [&](const std::string& name, std::optional<ScoreKind> attention) -> RnnConfig& {
    cases.push_back({name, small});
    cases.back().config.attention = attention;
    return cases.back().config;
  };
  add("gru_additive", ScoreKind::additive);
  RnnConfig& lstm = add("lstm_scaled_dot", ScoreKind::scaled_dot);
  lstm.cell = RecurrentKind::lstm;
  lstm.layers = 2;
  lstm.tied = TiedEmbeddings::decoder;
  RnnConfig& bilinear = add("gru_bilinear", ScoreKind::bilinear);
  bilinear.layers = 2;
  bilinear.tied = TiedEmbeddings::all;
  add("gru_dot", ScoreKind::dot).bidirectional = false;
  add("gru_none", std::nullopt).tied = TiedEmbeddings::decoder;
  return cases;
}

}  // namespace heed::testing
