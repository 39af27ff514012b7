#include "heed/training/learner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "close.h"
#include "error_of.h"
#include "tensors.h"
#include "tiny_training.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::tiny_model;
using heed::testing::tiny_shards;
using heed::testing::values_of;

using Steps = std::vector<std::vector<Batch>>;

constexpr LearnerConfig quick{
    .schedule = {.kind = ScheduleKind::constant, .learning_rate = 0.01, .warm_up = 0}, .ema = 0.9};

// Takes its time at random moments, so that the shards come to other workers each time.
class HesitantModel : public PredictingModel {
 public:
  explicit HesitantModel(std::unique_ptr<Model> model) : model_(std::move(model)) {}

  Variable features(Tape& tape, const Batch& batch) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(rng_().below(2000)));
    return model_->features(tape, batch);
  }
  OutputLayer output_layer() const override { return model_->output_layer(); }
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override {
    model_->visit_parameters(prefix, visit);
  }
  int64_t source_multiplications() const override { return model_->source_multiplications(); }
  int64_t target_multiplications() const override { return model_->target_multiplications(); }

 private:
  static Rng& rng_() {
    thread_local Rng rng(
        static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
    return rng;
  }
  std::unique_ptr<Model> model_;
};

struct Numbers {
  std::vector<double> weights, first, second, ema;
  bool operator==(const Numbers&) const = default;
};

Numbers numbers_of(const Learner& learner) {
  const LearnerState& state = learner.state();
  return {values_of(state.weights), values_of(state.first_moment), values_of(state.second_moment),
          values_of(state.ema)};
}

TEST(Learner, NumbersDoNotDependOnTheWorkers) {
  const auto learn = [](int count) {
    Workers workers(count);
    HesitantModel model(tiny_model());
    Learner learner(model, quick, 4, workers);
    for (uint64_t step = 0; step < 8; ++step) {
      const Steps batches = {tiny_shards(4, 2 * step), tiny_shards(4, 2 * step + 1)};
      learner.learn(batches);
    }
    return numbers_of(learner);
  };
  const Numbers alone = learn(1);
  for (const int count : {1, 2, 3, 4, 7})
    for (int again = 0; again < 3; ++again) EXPECT_EQ(learn(count), alone) << count << " workers";
}

TEST(Learner, DropoutDependsOnTheSeed) {
  const auto learn = [](uint64_t seed) {
    Workers workers(1);
    const std::unique_ptr<Model> model = tiny_model();
    LearnerConfig config = quick;
    config.seed = seed;
    Learner learner(*model, config, 2, workers);
    learner.learn(Steps{tiny_shards(2, 1)});
    return numbers_of(learner);
  };
  EXPECT_EQ(learn(1), learn(1));
  EXPECT_NE(learn(1), learn(2));
}

// Without dropout, whose places differ.
std::unique_ptr<Model> plain_model() {
  ModelConfig config = testing::tiny_model_config();
  std::get<TransformerConfig>(config).dropout =
      std::get<TransformerConfig>(config).embedding_dropout = 0;
  Rng rng(5);
  return make_model(config, rng);
}

TokenBatch joined(const TokenBatch& a, const TokenBatch& b) {
  std::vector<std::vector<int32_t>> sentences;
  for (const TokenBatch* batch : {&a, &b})
    for (int64_t s = 0; s < batch->layout.sequences(); ++s) {
      const std::span<const int32_t> ids = batch->sentence(s);
      sentences.emplace_back(ids.begin(), ids.end());
    }
  return join_sentences(sentences);
}

TEST(Learner, TwoBatchesCountAsOneOfBoth) {
  Workers workers(1);
  const std::unique_ptr<Model> one = plain_model(), other = plain_model();
  Learner apart(*one, quick, 2, workers), together(*other, quick, 2, workers);
  const Steps two = {tiny_shards(2, 1), tiny_shards(2, 2)};
  Steps both(1);
  for (size_t i = 0; i < 2; ++i)
    both[0].push_back(
        {joined(two[0][i].source, two[1][i].source), joined(two[0][i].target, two[1][i].target)});
  const StepReport a = apart.learn(two), b = together.learn(both);
  EXPECT_NEAR(a.loss, b.loss, 1e-6);
  EXPECT_NEAR(a.negative_likelihood, b.negative_likelihood, 1e-6);
  EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 1e-6);
  EXPECT_EQ(a.source_tokens, b.source_tokens);
  EXPECT_EQ(a.target_tokens, b.target_tokens);
  // The first moment is a tenth of the mean gradient.
  EXPECT_TRUE(close(numbers_of(apart).first, numbers_of(together).first, 1e-4, 1e-7));
}

// Without dropout, both passes over a sentence are equal and add nothing to the loss; with it, they
// cost more.
TEST(Learner, RDropSeesEachSentenceTwice) {
  Workers workers(1);
  LearnerConfig agreeing = quick;
  agreeing.r_drop = 5;
  const Steps batch = {tiny_shards(2, 1)};
  const std::unique_ptr<Model> one = plain_model(), other = plain_model();
  Learner once(*one, quick, 2, workers), twice(*other, agreeing, 2, workers);
  const StepReport a = once.learn(batch), b = twice.learn(batch);
  EXPECT_EQ(b.target_tokens, 2 * a.target_tokens);
  EXPECT_NEAR(a.loss, b.loss, 1e-5);
  EXPECT_TRUE(close(numbers_of(once).first, numbers_of(twice).first, 1e-4, 1e-6));

  const auto loss_with = [&](double r_drop) {
    const std::unique_ptr<Model> model = tiny_model();
    agreeing.r_drop = r_drop;
    return Learner(*model, agreeing, 2, workers).learn(batch).loss;
  };
  EXPECT_GT(loss_with(5), loss_with(1e-9) + 1e-4);

  agreeing.r_drop = 5;
  agreeing.r_drop_after = 1;
  const std::unique_ptr<Model> late = plain_model();
  Learner later(*late, agreeing, 2, workers);
  EXPECT_EQ(later.learn(batch).target_tokens, a.target_tokens);
  EXPECT_EQ(later.learn(batch).target_tokens, 2 * a.target_tokens);
}

TEST(Learner, ShardsWithoutSentencesCountNothing) {
  Workers workers(1);
  const std::unique_ptr<Model> one = plain_model(), other = plain_model();
  Learner full(*one, quick, 1, workers), sparse(*other, quick, 3, workers);
  const std::vector<Batch> batch = tiny_shards(1, 1);
  // A full step leaves gradients in all shards, which must not be used again.
  const Steps first = {tiny_shards(3, 9)};
  sparse.learn(first);
  sparse.restore(full.state());
  full.learn(Steps{batch});
  sparse.learn(Steps{{Batch{}, batch[0], Batch{}}});
  EXPECT_TRUE(close(numbers_of(sparse).weights, numbers_of(full).weights, 0, 0));
  EXPECT_EQ(error_of([&] {
              sparse.learn(Steps{{Batch{}, Batch{}, Batch{}}});
            }),
            "learner: a step without target tokens");
  EXPECT_EQ(error_of([&] { sparse.learn(Steps{batch}); }),
            "learner: a batch of 1 shards but 3 were expected");
}

double norm_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  return std::sqrt(sum);
}

TEST(Learner, ClipsTheMeanGradient) {
  const auto first_moment = [](double clip, double& norm) {
    Workers workers(1);
    const std::unique_ptr<Model> model = tiny_model();
    LearnerConfig config = quick;
    config.clip_norm = clip;
    Learner learner(*model, config, 4, workers);
    norm = learner.learn(Steps{tiny_shards(4, 1)}).gradient_norm;
    return numbers_of(learner).first;
  };
  double norm = 0, again = 0;
  const std::vector<double> free = first_moment(0, norm);
  EXPECT_NEAR(norm_of(free), 0.1 * norm, 1e-6);
  EXPECT_EQ(first_moment(1.01 * norm, again), free);
  EXPECT_EQ(again, norm);
  const std::vector<double> clipped = first_moment(norm / 8, again);
  EXPECT_EQ(again, norm);  // before clipping
  EXPECT_NEAR(norm_of(clipped), 0.1 * norm / 8, 1e-6);
  std::vector<double> expected = free;
  for (double& number : expected) number /= 8;
  EXPECT_TRUE(close(clipped, expected, 1e-5, 1e-9));
}

// Two steps of Adam by hand: from the second on, the weights have left the start.
TEST(Learner, IsPulledTowardsTheStart) {
  Workers workers(1);
  LearnerConfig config = quick;
  config.beta1 = config.beta2 = 0;  // each update is the sign of its gradient
  config.epsilon = 1e-3;
  config.ema = 0;
  config.clip_norm = 0;
  config.keep_close = 0.25;
  const std::unique_ptr<Model> model = tiny_model(), other = tiny_model();
  Learner learner(*model, config, 2, workers);
  const std::vector<double> start = values_of(learner.state().weights);
  const Steps first = {tiny_shards(2, 1)}, second = {tiny_shards(2, 2)};
  learner.learn(first);
  const std::vector<double> middle = values_of(learner.state().weights);
  const StepReport report = learner.learn(second);
  // The gradient of the second step, by a learner without the penalty that stands where it stood.
  LearnerConfig plain = config;
  plain.keep_close = 0;
  Learner bystander(*other, plain, 2, workers);
  bystander.learn(first);
  ASSERT_EQ(values_of(bystander.state().weights), middle);  // there was no distance yet
  const StepReport same = bystander.learn(second);
  EXPECT_EQ(report.gradient_norm, same.gradient_norm);
  const std::vector<double> moments = values_of(bystander.state().first_moment),
                            found = values_of(learner.state().weights);
  ASSERT_EQ(moments.size(), found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const double gradient = moments[i] + 2 * 0.25 * (middle[i] - start[i]);
    // Rounding of float32 near a gradient of zero, where the update is steep.
    EXPECT_NEAR(found[i], middle[i] - 0.01 * gradient / (std::abs(gradient) + 1e-3), 1e-5) << i;
  }
}

TEST(Learner, SkipsStepsThatAreNotFinite) {
  for (const float poison :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Workers workers(2);
    const std::unique_ptr<Model> model = tiny_model();
    Learner learner(*model, quick, 4, workers);
    learner.learn(Steps{tiny_shards(4, 1)});
    const int64_t updates = learner.state().updates;
    float& weight = learner.weights()[0];  // of the embeddings, which score every token
    const float before = weight;
    weight = poison;
    Numbers expected = numbers_of(learner);
    const StepReport report = learner.learn(Steps{tiny_shards(4, 2)});
    EXPECT_TRUE(report.skipped);
    weight = before;
    expected.weights[0] = static_cast<double>(before);
    EXPECT_EQ(numbers_of(learner), expected);
    EXPECT_EQ(learner.steps(), 2);
    EXPECT_EQ(learner.state().updates, updates);
    EXPECT_FALSE(learner.learn(Steps{tiny_shards(4, 2)}).skipped);
  }
}

TEST(Learner, AverageFollowsTheWeights) {
  Workers workers(2);
  const std::unique_ptr<Model> model = tiny_model();
  LearnerConfig config = quick;
  config.ema = 0.3;
  Learner learner(*model, config, 2, workers);
  std::vector<double> expected = numbers_of(learner).weights;
  for (int step = 1; step <= 6; ++step) {
    learner.learn(Steps{tiny_shards(2, static_cast<uint64_t>(step))});
    const Numbers now = numbers_of(learner);
    const double stays = std::min(0.3, (1.0 + step) / (10.0 + step));
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = stays * expected[i] + (1 - stays) * now.weights[i];
    EXPECT_TRUE(close(now.ema, expected, 1e-5, 1e-6)) << "step " << step;
  }
  const Numbers before = numbers_of(learner);
  {
    const Learner::EmaWeights ema_weights(learner);
    EXPECT_EQ(values_of(learner.parameters().array()), before.ema);
  }
  EXPECT_EQ(numbers_of(learner), before);
}

TEST(Learner, RestoredPutsTheWeightsBack) {
  Workers workers(1);
  const std::unique_ptr<Model> model = tiny_model();
  Learner learner(*model, quick, 1, workers);
  const Numbers before = numbers_of(learner);
  {
    const Learner::Restored restored(learner);
    std::ranges::fill(learner.weights(), 1.0f);
  }
  EXPECT_EQ(numbers_of(learner), before);
}

TEST(Learner, GoesOnFromAState) {
  Workers workers(1);
  const std::unique_ptr<Model> one = tiny_model(), other = tiny_model(99);
  Learner whole(*one, quick, 2, workers), later(*other, quick, 2, workers);
  for (uint64_t step = 0; step < 3; ++step) whole.learn(Steps{tiny_shards(2, step)});
  later.restore(whole.state());
  for (uint64_t step = 3; step < 6; ++step) {
    whole.learn(Steps{tiny_shards(2, step)});
    later.learn(Steps{tiny_shards(2, step)});
  }
  EXPECT_EQ(numbers_of(later), numbers_of(whole));
  EXPECT_EQ(later.steps(), 6);
  EXPECT_EQ(later.state().updates, 6);

  LearnerConfig without = quick;
  without.ema = 0;
  const std::unique_ptr<Model> third = tiny_model();
  Learner plain(*third, without, 2, workers);
  EXPECT_TRUE(error_of([&] { plain.restore(whole.state()); }).starts_with("learner: a state of "));
}

TEST(Learner, LearnsAndReports) {
  Workers workers(2);
  const std::unique_ptr<Model> model = tiny_model();
  Learner learner(*model, quick, 4, workers);
  const Steps batch = {tiny_shards(4, 1)};
  const StepReport first = learner.learn(batch);
  EXPECT_EQ(first.step, 1);
  EXPECT_DOUBLE_EQ(first.learning_rate, 0.01);
  EXPECT_NEAR(first.negative_likelihood, std::log(200.0), 1.5);
  int64_t targets = 0, sources = 0;
  for (const Batch& shard : batch[0]) {
    targets += shard.target.layout.tokens();
    sources += shard.source.layout.tokens();
  }
  EXPECT_EQ(first.target_tokens, targets);
  EXPECT_EQ(first.source_tokens, sources);
  StepReport last;
  for (int i = 0; i < 100; ++i) last = learner.learn(batch);
  EXPECT_LT(last.negative_likelihood, first.negative_likelihood / 2);
  EXPECT_GE(learner.memory(), 8 * learner.state().weights.bytes());
}

std::string complaint(const std::function<void(LearnerConfig&)>& change) {
  LearnerConfig config;
  change(config);
  return error_of([&] { check(config); });
}

TEST(Learner, RefusesSettingsThatTeachNothing) {
  EXPECT_EQ(complaint([](LearnerConfig&) {}), "(nothing was thrown)");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.schedule.learning_rate = -1; }),
            "schedule: a learning rate of -1 but a positive number was expected");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.beta1 = 1; }),
            "learner: beta1 of 1 but 0 <= beta1 < 1 was expected");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.beta2 = -0.1; }),
            "learner: beta2 of -0.1 but 0 <= beta2 < 1 was expected");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.label_smoothing = 1; }),
            "learner: label smoothing of 1 but 0 <= label smoothing < 1 was expected");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.ema = std::nan(""); }),
            "learner: ema of nan but 0 <= ema < 1 was expected");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.clip_norm = -1; }),
            "learner: clip norm of -1 but at least 0 was expected");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.weight_decay = INFINITY; }),
            "learner: weight decay of inf but at least 0 was expected");
  EXPECT_EQ(complaint([](LearnerConfig& c) { c.epsilon = 0; }),
            "learner: epsilon of 0 but a positive number was expected");
  Workers workers(1);
  const std::unique_ptr<Model> model = tiny_model();
  EXPECT_EQ(error_of([&] { Learner(*model, {}, 0, workers); }),
            "learner: 0 shards but at least 1 was expected");
}

}  // namespace
}  // namespace heed
