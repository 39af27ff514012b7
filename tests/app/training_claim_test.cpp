#include "heed/runs/training_claim.h"

#include <nlohmann/json.hpp>

#include "heed/folders/model_folder.h"
#include "program_test.h"
#include "train_process.h"

namespace heed {
namespace {

using testing::Outcome;

// A run whose model settings change during training.
class TrainingClaimTest : public testing::ProgramTest {
 protected:
  Outcome train(const testing::Flags& more = {}, bool override = false) const {
    std::vector<std::string> arguments = training_.arguments(path("model"), more);
    if (override) arguments.emplace_back("--override");
    return run(arguments);
  }

  // The outcome of translating with the model.
  std::string refusal() const {
    const Outcome outcome = run({"inspect", path("model")});
    return outcome.err;
  }

  void set_activation(const std::string& name) const {
    std::ifstream in(path("model/config.json"));
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(in);
    json["activation_function"] = json["heed"]["activation"] = name;
    write("model/config.json", json.dump(2) + "\n");
  }

  testing::SmallTraining training_;
};

TEST_F(TrainingClaimTest, AModelThatWasTrainedKnowsWhatItWasSavedWith) {
  ASSERT_EQ(train().code, 0);
  EXPECT_EQ(refusal(), "");
  set_activation("gelu");
  EXPECT_NE(refusal().find("is gelu, but the weights were saved with relu"), std::string::npos)
      << refusal();
  // Nor does a run continue with settings that nobody gave it.
  const Outcome outcome = train({{"--steps", "40"}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("is gelu, but the weights were saved with relu"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainingClaimTest, AModelWhoseSettingsWereOverriddenStillLoads) {
  ASSERT_EQ(train().code, 0);
  // So slow that there is no new best: the weights are the old ones.
  const testing::Flags changed = {{"--activation", "gelu"},
                                  {"--dropout", "0.3"},
                                  {"--learning-rate", "1e-12"},
                                  {"--steps", "35"}};
  const Outcome outcome = train(changed, true);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(std::get<TransformerConfig>(load_model_folder(path("model")).config).activation,
            Activation::gelu);
}

// A run killed between the two files that an override changes is repaired by the same command.
TEST_F(TrainingClaimTest, AnOverrideThatWasKilledHalfwayIsMended) {
  ASSERT_EQ(train().code, 0);
  const ModelConfig before = load_model_folder(path("model")).config;
  ModelConfig now = before;
  std::get<TransformerConfig>(now).activation = Activation::gelu;
  accept_config(path("model"), to_json(now));
  EXPECT_NE(refusal(), "");
  const Outcome outcome =
      train({{"--activation", "gelu"}, {"--learning-rate", "1e-12"}, {"--steps", "35"}}, true);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(refusal(), "");
}

}  // namespace
}  // namespace heed
