// Runs that train adapters of a translator instead of the translator itself.
#include <gtest/gtest.h>

#include <filesystem>

#include "adaptation_run.h"
#include "comparable_files.h"
#include "error_of.h"
#include "heed/decoding/folder_translator.h"
#include "heed/folders/adapter_file.h"
#include "heed/runs/conversion.h"
#include "same_bytes.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::AdaptationRun;
using testing::comparable_files;
using testing::error_of;

using Settings = std::map<std::string, std::string>;

class AdapterRun : public ::testing::TestWithParam<const char*> {
 protected:
  AdapterRun() : run(Settings{{"decoder-past", GetParam()}}) {
    run.settings.adapter = 4;
    run.settings.trainer.steps = 30;
    run.settings.learning = {{"learning-rate", "0.02"}};
  }

  AdaptationRun run;
};

TEST_P(AdapterRun, LeavesASmallFileThatImprovesTheModel) {
  double before = 0, after = 0;
  TrainingCallbacks callbacks;
  callbacks.validated = [&](const Validation& validation, const Progress&) {
    if (before == 0) before = validation.cross_entropy;
    after = validation.cross_entropy;
  };
  const std::string untouched = comparable_files(run.path("general")).at("model.safetensors");
  train(run.settings, callbacks);
  EXPECT_LT(after, before);
  EXPECT_EQ(comparable_files(run.path("general")).at("model.safetensors"), untouched);
  EXPECT_FALSE(fs::exists(run.path("mine/model.safetensors")));
  const auto size = fs::file_size(run.path("mine/adapter.safetensors"));
  EXPECT_LT(size, fs::file_size(run.path("general/model.safetensors")));
  // It moves every adapted weight, and nothing else.
  ModelFolder base = load_model_folder(run.path("general"));
  const ModelFolder original = load_model_folder(run.path("general"));
  apply_adapter(run.path("mine"), base);
  const std::vector<Parameter> now = parameters_of(*base.model),
                               then = parameters_of(*original.model);
  for (size_t i = 0; i < now.size(); ++i) {
    const bool adapted =
        now[i].value.shape().rank() == 2 && now[i].name.find("layers") != std::string::npos;
    EXPECT_EQ(testing::values_of(now[i].value) != testing::values_of(then[i].value), adapted)
        << now[i].name;
  }
  // Loaded beside the model or merged into another, it gives the same words.
  save_new_model(run.path("merged"), base);
  const std::vector<std::string> lines = {"le jeudi 3 mai 1979", "lundi"};
  const auto translated = [&](const char* folder, const std::string& adapter) {
    return make_translator(load_adapted(run.path(folder), adapter), {}, folder).translate(lines);
  };
  EXPECT_EQ(translated("general", run.path("mine/adapter.safetensors")), translated("merged", ""));
  EXPECT_NE(error_of([&] { translated("merged", run.path("mine")); }).find("of another model"),
            std::string::npos);
  EXPECT_NE(error_of([&] { translated("mine", ""); }).find("holds an adapter"), std::string::npos);
}

TEST_P(AdapterRun, GivesTheSameBytesHoweverItIsTrained) {
  run.settings.trainer.steps = 8;
  testing::expect_same_bytes_however_trained(run.settings, run.path("ways"));
}

INSTANTIATE_TEST_SUITE_P(All, AdapterRun, ::testing::Values("self-attention", "ssru"),
                         [](const auto& past) {
                           return std::string(past.param) == "ssru" ? "Ssru" : "SelfAttention";
                         });

TEST(AdapterRunRefuses, WhatHasNoEffectOrNoPlace) {
  AdaptationRun run;
  run.settings.adapter = 4;
  const auto refusal = [&](const std::function<void(TrainingSettings&)>& change) {
    TrainingSettings settings = run.settings;
    change(settings);
    return error_of([&] { train(settings); });
  };
  EXPECT_EQ(refusal([](auto& s) { s.freeze = {"encoder"}; }),
            "--freeze: with --adapter, all of the pretrained model stays as it is");
  EXPECT_EQ(refusal([](auto& s) { s.learning["keep-close"] = "1"; }),
            "--keep-close: with --adapter, all of the pretrained model stays as it is");
  EXPECT_EQ(refusal([](auto& s) { s.adapter = 16; }),
            "--adapter: a rank of 16, but model.encoder.layers.0.self_attn.q_proj allows 1 to 15");
  EXPECT_EQ(refusal([](auto& s) { s.pretrained.clear(); }),
            "--adapter: only a translator that is given with --pretrained can have adapters");
  train(run.settings);
  EXPECT_NE(
      refusal([](auto& s) { s.adapter = 8, s.change_settings = true; }).find("adapter (4, now 8)"),
      std::string::npos);
}

}  // namespace
}  // namespace heed
