#include "heed/runs/pretrained_translator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "adaptation_run.h"
#include "error_of.h"
#include "heed/runs/conversion.h"
#include "same_bytes.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::AdaptationRun;
using testing::error_of;
using testing::weights_in;

// So low a rate changes no weight.
void stand_still(TrainingSettings& settings) {
  settings.learning = {{"learning-rate", "1e-30"}, {"warm-up", "0"}};
  settings.trainer.steps = 2;
}

struct Origin {
  const char* name;
  std::map<std::string, std::string> model;
  ModelFormat format = ModelFormat::heed;
  WeightStorage storage = WeightStorage::float32;
};

void PrintTo(const Origin& origin, std::ostream* out) { *out << origin.name; }

class Pretrained : public ::testing::TestWithParam<Origin> {};

TEST_P(Pretrained, IsWhereTrainingStarts) {
  AdaptationRun run(GetParam().model);
  ModelFolder general = load_model_folder(run.path("general"));
  general.storage = GetParam().storage;
  save_new_model(run.path("base"), general, GetParam().format);
  run.settings.pretrained = run.path("base");
  stand_still(run.settings);
  train(run.settings);
  const ModelFolder base = load_model_folder(run.path("base")),
                    found = load_model_folder(run.path("mine"));
  EXPECT_EQ(found.source.bytes(), base.source.bytes());
  EXPECT_EQ(found.target.bytes(), base.target.bytes());
  EXPECT_EQ(found.notes, base.notes);
  EXPECT_EQ(found.storage, WeightStorage::float32);
  const std::vector<Parameter> given = parameters_of(*base.model),
                               kept = parameters_of(*found.model);
  ASSERT_EQ(kept.size(), given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(kept[i].name, given[i].name);
    // The low rate moves only what is zero.
    const std::vector<double> now = testing::values_of(kept[i].value),
                              then = testing::values_of(given[i].value);
    for (size_t j = 0; j < then.size(); ++j) EXPECT_NEAR(now[j], then[j], 1e-25);
  }
  // And goes on from there.
  run.settings.folder = run.path("further");
  run.settings.learning = {};
  train(run.settings);
  EXPECT_NE(weights_in(run.path("further")), weights_in(run.path("mine")));
  // What has learned fits the format it came from.
  save_new_model(run.path("back"), load_model_folder(run.path("further")), GetParam().format);
  EXPECT_EQ(parameters_of(*load_model_folder(run.path("back")).model).size(), given.size());
}

INSTANTIATE_TEST_SUITE_P(
    All, Pretrained,
    ::testing::Values(Origin{"Heed", {}},
                      Origin{"Rnn", {{"cell", "gru"}, {"hidden", "16"}, {"embedding", "16"}}},
                      Origin{"Ssru", {{"decoder-past", "ssru"}}},
                      Origin{"Int8", {}, ModelFormat::heed, WeightStorage::int8},
                      Origin{"CTranslate2", {}, ModelFormat::ctranslate2},
                      Origin{"CTranslate2Int8", {}, ModelFormat::ctranslate2, WeightStorage::int8},
                      Origin{"HuggingFace", {{"norm", "post"}}, ModelFormat::huggingface},
                      Origin{"Marian",
                             {{"sinusoids", "tensor2tensor"}, {"decoder-start", "zeros"}},
                             ModelFormat::marian}),
    [](const auto& origin) { return std::string(origin.param.name); });

TEST(PretrainedTranslator, GetsTheUsualDropoutIfItHasNone) {
  AdaptationRun run;
  ModelFolder general = load_model_folder(run.path("general"));
  save_new_model(run.path("base"), general, ModelFormat::ctranslate2);
  run.settings.pretrained = run.path("base");
  stand_still(run.settings);
  train(run.settings);
  const auto found = std::get<TransformerConfig>(load_model_config(run.path("mine/config.json")));
  EXPECT_EQ(found.dropout, 0.1);
  EXPECT_EQ(found.embedding_dropout, 0.1);
  // That of heed's own stays, unless another is asked for.
  run.settings.pretrained = run.path("general");
  run.settings.folder = run.path("own");
  run.settings.model["attention-dropout"] = "0.2";
  train(run.settings);
  const auto own = std::get<TransformerConfig>(load_model_config(run.path("own/config.json")));
  EXPECT_EQ(own.dropout, 0.3);
  EXPECT_EQ(own.attention_dropout, 0.2);
}

TEST(PretrainedTranslator, GivesTheSameBytesHoweverItIsTrained) {
  AdaptationRun run;
  run.settings.learning = {{"keep-close", "0.01"}};
  run.settings.freeze = {"embeddings"};
  testing::expect_same_bytes_however_trained(run.settings, run.path("ways"));
}

TEST(PretrainedTranslator, MayBeGoneButNotChangedWhenARunGoesOn) {
  AdaptationRun run;
  train(run.settings);
  run.settings.trainer.steps += 2;
  fs::rename(run.path("general"), run.path("elsewhere"));
  EXPECT_EQ(train(run.settings), TrainingEnd::budget);
  // Another model of the same sizes.
  fs::copy(run.path("mine"), run.path("general"), fs::copy_options::recursive);
  run.settings.trainer.steps += 2;
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            run.path("general") +
                ": has changed since the run was started; a new run needs an empty folder");
  fs::remove_all(run.path("general"));
  fs::rename(run.path("elsewhere"), run.path("general"));
  EXPECT_EQ(train(run.settings), TrainingEnd::budget);
}

TEST(PretrainedTranslator, FrozenPartsKeepTheirBytes) {
  AdaptationRun run;
  run.settings.freeze = {"embeddings", "encoder:0"};
  train(run.settings);
  const ModelFolder before = load_model_folder(run.path("general")),
                    after = load_model_folder(run.path("mine"));
  const std::vector<Parameter> given = parameters_of(*before.model),
                               found = parameters_of(*after.model);
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i].name;
    const bool frozen =
        name.find("shared") != name.npos || name.find("encoder.layers.0.") != name.npos;
    EXPECT_EQ(testing::values_of(found[i].value) == testing::values_of(given[i].value), frozen)
        << name;
  }
}

TEST(PretrainedTranslator, IsKeptClose) {
  AdaptationRun run;
  run.settings.trainer.steps = 30;
  const auto distance = [&](const std::string& weight) {
    run.settings.folder = run.path("mine" + weight);
    run.settings.learning = {{"keep-close", weight}, {"learning-rate", "0.01"}, {"warm-up", "0"}};
    train(run.settings);
    const auto before = weights_in(run.path("general")), after = weights_in(run.settings.folder);
    double sum = 0;
    for (size_t i = 0; i < before.size(); ++i)
      for (size_t j = 0; j < before[i].size(); ++j) sum += std::pow(after[i][j] - before[i][j], 2);
    return sum;
  };
  const double free = distance("0"), close = distance("0.1"), closer = distance("10");
  EXPECT_LT(close, 0.5 * free);
  EXPECT_LT(closer, 0.5 * close);
}

std::string refusal(AdaptationRun& run, const std::function<void(TrainingSettings&)>& change) {
  TrainingSettings settings = run.settings;
  change(settings);
  return error_of([&] { train(settings); });
}

TEST(PretrainedTranslator, RefusesWhatContradictsIt) {
  AdaptationRun run;
  EXPECT_EQ(refusal(run, [](auto& s) { s.model["width"] = "32"; }),
            "--width is 32 but the pretrained model has 16");
  EXPECT_EQ(refusal(run, [](auto& s) { s.model["hidden"] = "32"; }),
            "--hidden is not a setting of the pretrained model, a transformer");
  EXPECT_EQ(refusal(run, [](auto& s) { s.preset = "base"; }),
            "--preset: the size is that of the pretrained model");
  EXPECT_EQ(refusal(run, [](auto& s) { s.vocabulary.size = 100; }),
            "--vocabulary: the vocabulary is that of the pretrained model");
  EXPECT_EQ(refusal(run, [](auto& s) { s.vocabulary.kind = VocabularyKind::words; }),
            "--vocabulary-kind: the vocabulary is that of the pretrained model");
  EXPECT_EQ(refusal(run, [](auto& s) { s.vocabulary_files = {"a"}; }),
            "--vocabulary-files: the vocabulary is that of the pretrained model");
  EXPECT_EQ(refusal(run, [](auto& s) { s.separate = true; }),
            "--separate-vocabularies: the vocabulary is that of the pretrained model");
  EXPECT_EQ(refusal(run, [](auto& s) { s.learning["ema"] = "2"; }).substr(0, 7), "learner");
  EXPECT_EQ(refusal(run, [](auto& s) { s.freeze = {"heads"}; }).substr(0, 41),
            "--freeze: \"heads\" is no part of the model");
  EXPECT_EQ(refusal(run, [&](auto& s) { s.pretrained = run.path("none"); }),
            run.path("none") + ": there is no such folder");
  EXPECT_FALSE(fs::exists(run.settings.folder));  // nothing was begun
  EXPECT_EQ(refusal(run, [](auto& s) { s.pretrained.clear(), s.freeze = {"encoder"}; }),
            "--freeze: only parts of a model that is given with --pretrained can stay as they are");
  EXPECT_EQ(refusal(run, [](auto& s) { s.pretrained.clear(), s.learning["keep-close"] = "1"; }),
            "--keep-close: only a model that is given with --pretrained can be kept close");
}

}  // namespace
}  // namespace heed
