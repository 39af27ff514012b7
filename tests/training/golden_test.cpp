// Ten training steps, compared with PyTorch's.
#include <gtest/gtest.h>

#include "golden_language_models.h"
#include "golden_transformers.h"
#include "heed/training/learner.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::golden_batch;
using heed::testing::golden_tolerance;
using heed::testing::golden_transformers;
using heed::testing::GoldenTransformer;
using heed::testing::pair_of;
using heed::testing::values_of;

const LearnerConfig golden_learning{
    .schedule = {.kind = ScheduleKind::constant, .learning_rate = 0.01, .warm_up = 0},
    .clip_norm = 0,
    .label_smoothing = 0.1};

std::vector<Batch> cut(const Batch& batch, int shards) {
  if (shards == 1) return {batch};
  std::vector<Batch> parts;
  for (int64_t s = 0; s < batch.sentences(); ++s) parts.push_back(pair_of(batch, s));
  return parts;
}

// The same loss after each of ten steps.
void expect_golden_losses(PredictingModel& model, const LearnerConfig& config,
                          const std::vector<Batch>& shards, const TensorFile& file) {
  Workers workers(2);
  Learner learner(model, config, static_cast<int>(shards.size()), workers);
  const std::vector<std::vector<Batch>> step = {shards};
  std::vector<double> losses;
  for (int i = 0; i < 10; ++i) losses.push_back(learner.learn(step).loss);
  EXPECT_TRUE(close(losses, values_of(file.read("losses", Type::float64)),
                    golden_tolerance(Type::float32), 0));
  EXPECT_LT(losses.back(), losses.front());
}

TEST(GoldenTraining, LearnsAsPyTorchDoes) {
  for (const GoldenTransformer& one : golden_transformers())
    for (const int shards : {1, 4}) {
      SCOPED_TRACE(fmt::format("{} in {} shards", one.name, shards));
      const TensorFile file = one.open();
      Transformer model = one.model(file, Type::float32);
      expect_golden_losses(model, golden_learning, cut(golden_batch(file), shards), file);
    }
}

TEST(GoldenTraining, LanguageModelsLearnAsPyTorchsDo) {
  LearnerConfig unsmoothed = golden_learning;
  unsmoothed.label_smoothing = 0;
  for (const testing::GoldenLanguageModel& one : testing::golden_language_models())
    for (const int shards : {1, 4}) {
      SCOPED_TRACE(fmt::format("{} in {} shards", one.name, shards));
      const TensorFile file = one.open();
      LanguageModel model = one.model(file, Type::float32);
      expect_golden_losses(model, unsmoothed, cut(testing::golden_texts(file), shards), file);
    }
}

}  // namespace
}  // namespace heed
