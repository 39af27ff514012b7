#include "heed/training/memory_plan.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/models/model_config.h"
#include "heed/training/learner.h"
#include "tensors.h"
#include "tiny_training.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::tiny_model;
using heed::testing::tiny_shards;
using heed::testing::values_of;

TEST(MemoryPlan, CountsWhatDoesNotGrowWithTheBatch) {
  const std::unique_ptr<Model> model = tiny_model();
  const int64_t weights = 4 * count_parameters(*model);
  const auto fixed = [&](int shards, bool averaged) {
    return plan_memory(*model, made_up_batch(200, 200), shards, {.ema = averaged ? 0.9 : 0.0})
        .fixed;
  };
  EXPECT_EQ(fixed(2, false) - fixed(1, false), weights);
  EXPECT_EQ(fixed(1, true) - fixed(1, false), weights);
  EXPECT_GT(fixed(1, false), 4 * weights);
}

TEST(MemoryPlan, LeavesTheModelAsItWas) {
  const std::unique_ptr<Model> model = tiny_model(), untouched = tiny_model();
  plan_memory(*model, made_up_batch(200, 200), 4, {});
  const std::vector<Parameter> found = parameters_of(*model), expected = parameters_of(*untouched);
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(values_of(found[i].value), values_of(expected[i].value)) << found[i].name;
}

// A learner takes no more memory for a step than planned.
TEST(MemoryPlan, IsNotExceeded) {
  Rng rng(1);
  const std::unique_ptr<Model> model = make_model(TransformerConfig{.source_vocabulary = 200,
                                                                    .target_vocabulary = 200,
                                                                    .encoder_layers = 2,
                                                                    .decoder_layers = 2,
                                                                    .width = 64,
                                                                    .ffn = 128,
                                                                    .heads = 4},
                                                  rng);
  for (const double r_drop : {0.0, 1.0}) {
    const LearnerConfig config{.r_drop = r_drop};
    const MemoryPlan plan = plan_memory(*model, made_up_batch(200, 200), 1, config);
    Workers workers(1);
    Learner learner(*model, config, 1, workers);
    const std::vector<std::vector<Batch>> step = {tiny_shards(1, 3, 2000)};
    learner.learn(step);
    const int64_t tokens =
        std::max(step[0][0].source.layout.tokens(), step[0][0].target.layout.tokens());
    EXPECT_LE(static_cast<int64_t>(learner.memory()), plan.fixed + tokens * plan.per_token);
    // And the plan is not far off.
    EXPECT_GE(2 * static_cast<int64_t>(learner.memory()), tokens * plan.per_token);
  }
}

TEST(MemoryPlan, FitsTheBatch) {
  const MemoryPlan plan{.fixed = int64_t{100} << 20, .per_token = 1 << 10};
  EXPECT_EQ(fitting_batch(plan, int64_t{101} << 20, 100000), 1024);
  EXPECT_EQ(fitting_batch(plan, int64_t{110} << 20, 4096), 4096);
  EXPECT_EQ(error_of([&] { fitting_batch(plan, int64_t{99} << 20, 4096); }),
            "training: 99 MB are not enough: this model needs at least 101 MB");
  EXPECT_EQ(error_of([&] { fitting_batch(plan, (int64_t{100} << 20) + 1024, 4096); }),
            "training: 100 MB are not enough: this model needs at least 101 MB");
}

}  // namespace
}  // namespace heed
