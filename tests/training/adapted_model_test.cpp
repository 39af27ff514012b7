#include "heed/training/adapted_model.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/training/learner.h"
#include "tensors.h"
#include "tiny_training.h"

namespace heed {
namespace {

using testing::error_of;
using testing::tiny_model;
using testing::tiny_model_config;
using testing::tiny_shards;
using testing::values_of;

const LearnerConfig quick{
    .schedule = {.kind = ScheduleKind::constant, .learning_rate = 0.01, .warm_up = 0}};

TEST(AdaptedModel, LearnsAndLeavesTheBytesOfTheModel) {
  const std::unique_ptr<Model> model = tiny_model(), untouched = tiny_model();
  AdaptedModel adapted(*model, {.rank = 2, .alpha = 4}, 1);
  Workers workers(2);
  Learner learner(adapted, quick, 2, workers);
  const auto loss = [&] {
    double sum = 0;
    for (const Batch& batch : tiny_shards(2, 3)) {
      Tape tape({.record = false});
      adapted.loss(tape, batch, {.negative_likelihood = &sum});
    }
    return sum;
  };
  const double before = loss();
  for (int step = 0; step < 20; ++step)
    learner.learn(std::vector<std::vector<Batch>>{tiny_shards(2, 3)});
  EXPECT_LT(loss(), 0.9 * before);
  const std::vector<Parameter> now = parameters_of(*model), then = parameters_of(*untouched);
  for (size_t i = 0; i < now.size(); ++i)
    EXPECT_EQ(values_of(now[i].value), values_of(then[i].value)) << now[i].name;
}

TEST(AdaptedModel, StartsAsTheModelItself) {
  const std::unique_ptr<Model> model = tiny_model(), untouched = tiny_model();
  AdaptedModel adapted(*model, {.rank = 2, .alpha = 4}, 1);
  const Batch batch = tiny_shards(1, 3)[0];
  Tape tape;
  EXPECT_EQ(values_of(adapted.features(tape, batch).value()),
            values_of(untouched->features(tape, batch).value()));
}

TEST(AdaptedModel, HasMatricesForEveryLinearLayer) {
  const std::unique_ptr<Model> model = tiny_model();
  AdaptedModel adapted(*model, {.rank = 2, .alpha = 4}, 1);
  std::set<std::string> names;
  for (const Parameter& parameter : parameters_of(adapted)) names.insert(parameter.name);
  size_t matrices = 0;
  for (const Parameter& parameter : parameters_of(*model)) {
    const std::string& name = parameter.name;
    if (parameter.value.shape().rank() != 2 || name.find("layers") == name.npos) continue;
    ++matrices;
    const std::string layer = name.substr(0, name.rfind('.'));
    EXPECT_TRUE(names.contains(layer + ".lora_A") && names.contains(layer + ".lora_B")) << name;
  }
  EXPECT_EQ(names.size(), 2 * matrices);
  EXPECT_EQ(matrices, 16u);
}

TEST(AdaptedModel, RefusesWhatCannotBeAdapted) {
  const std::unique_ptr<Model> model = tiny_model();
  EXPECT_EQ(error_of([&] { AdaptedModel(*model, {.rank = 8, .alpha = 4}, 1); }),
            "--adapter: a rank of 8, but model.encoder.layers.0.self_attn.q_proj allows 1 to 7");
  RnnConfig config;
  config.source_vocabulary = config.target_vocabulary = 10;
  const std::unique_ptr<Model> rnn = make_model(config, Initialiser::unset());
  EXPECT_EQ(error_of([&] { AdaptedModel(*rnn, {.rank = 2, .alpha = 4}, 1); }),
            "--adapter: only Transformers can have adapters");
}

}  // namespace
}  // namespace heed
