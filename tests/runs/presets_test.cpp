#include "heed/runs/presets.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

TransformerConfig transformer_of(std::string_view name) {
  return std::get<TransformerConfig>(preset_of(name).model);
}

TEST(Presets, HaveTheSizesOfTheirNames) {
  EXPECT_EQ(transformer_of("tiny").encoder_layers, 4);
  EXPECT_EQ(transformer_of("tiny").decoder_layers, 4);
  EXPECT_EQ(transformer_of("tiny").width, 128);
  EXPECT_EQ(transformer_of("tiny").ffn, 256);
  EXPECT_EQ(transformer_of("tiny").heads, 4);
  EXPECT_EQ(transformer_of("small").width, 256);
  EXPECT_EQ(transformer_of("small").ffn, 1024);
  EXPECT_EQ(transformer_of("small").heads, 4);
  EXPECT_EQ(transformer_of("base").width, 512);
  EXPECT_EQ(transformer_of("base").ffn, 2048);
  EXPECT_EQ(transformer_of("base").heads, 8);
  EXPECT_TRUE(std::holds_alternative<RnnConfig>(preset_of("rnn").model));
  EXPECT_EQ(error_of([] { preset_of("huge"); }),
            "train: the preset is \"huge\" but tiny, small, base or rnn was expected");
}

TEST(Presets, AreAllUsable) {
  for (const std::string_view name : preset_names) {
    Preset preset = preset_of(name);
    check(preset.learner);
    set_vocabularies(preset.model, 100, 100);
    Rng rng(1);
    EXPECT_NO_THROW(make_model(preset.model, rng)) << name;
  }
}

TEST(Presets, SuitTheCorpus) {
  EXPECT_EQ(preset_for({.entries = 29'000}), "tiny");
  EXPECT_EQ(preset_for({.entries = 500'000}), "small");
  EXPECT_EQ(preset_for({.entries = 20'000'000}), "base");
}

TEST(Presets, TakeWhatWasGivenInstead) {
  TrainingSettings options;
  options.model = {{"width", "64"}, {"norm", "pre"}, {"gated", "true"}};
  options.learning = {{"learning-rate", "0.5"}, {"schedule", "linear"}};
  options.trainer.steps = 5000;
  options.seed = 9;
  const Preset preset = chosen_preset(options, {.entries = 100});
  const auto& model = std::get<TransformerConfig>(preset.model);
  EXPECT_EQ(model.width, 64);
  EXPECT_EQ(model.norm, NormPlacement::pre);
  EXPECT_TRUE(model.gated);
  EXPECT_EQ(model.ffn, 256);
  EXPECT_EQ(preset.learner.schedule.learning_rate, 0.5);
  EXPECT_EQ(preset.learner.schedule.kind, ScheduleKind::linear);
  EXPECT_EQ(preset.learner.schedule.steps, 5000);  // the end of the run by default
  EXPECT_EQ(preset.learner.seed, 9u);
  options.learning["decay-steps"] = "7000";
  EXPECT_EQ(chosen_preset(options, {.entries = 100}).learner.schedule.steps, 7000);
}

TEST(Presets, RefuseWhatTheyDoNotHave) {
  TrainingSettings options;
  options.preset = "rnn";
  options.model = {{"heads", "4"}};
  EXPECT_EQ(error_of([&] { chosen_preset(options, {.entries = 100}); }),
            "--heads is not a setting of the model rnn");
  options.model = {{"hidden", "4.5"}};
  EXPECT_EQ(error_of([&] { chosen_preset(options, {.entries = 100}); }),
            "--hidden is \"4.5\" but a whole number was expected");
}

}  // namespace
}  // namespace heed
