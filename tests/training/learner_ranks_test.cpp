// A learner on several ranks, which are threads here.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>

#include "heed/training/flat_blocks.h"
#include "heed/training/learner.h"
#include "tensors.h"
#include "thread_communicator.h"
#include "tiny_training.h"

namespace heed {
namespace {

using heed::testing::run_ranks;
using heed::testing::ThreadCommunicator;
using heed::testing::tiny_shards;
using heed::testing::values_of;

using Steps = std::vector<std::vector<Batch>>;

std::unique_ptr<Model> model_of(int64_t width, int64_t ffn) {
  ModelConfig config = testing::tiny_model_config();
  std::get<TransformerConfig>(config).width = width;
  std::get<TransformerConfig>(config).ffn = ffn;
  Rng rng(5);
  return make_model(config, rng);
}

constexpr int32_t wordy_vocabulary = 33'000;

// Large enough for several blocks.
std::unique_ptr<Model> wide_model() { return model_of(64, 128); }
std::unique_ptr<Model> large_model() { return model_of(256, 2048); }

// With tables of several stripes.
std::unique_ptr<Model> wordy_model(TiedEmbeddings tied) {
  ModelConfig config = testing::tiny_model_config();
  auto& transformer = std::get<TransformerConfig>(config);
  transformer.source_vocabulary = transformer.target_vocabulary = wordy_vocabulary;
  transformer.width = 64;
  transformer.tied = tied;
  Rng rng(5);
  return make_model(config, rng);
}

// Words from all of that vocabulary.
std::vector<Batch> wordy_shards(int shards, uint64_t seed) {
  std::vector<Batch> batches = tiny_shards(shards, seed);
  for (Batch& batch : batches)
    for (std::vector<int32_t>* ids : {&batch.source.ids, &batch.target.ids})
      for (int32_t& id : *ids)
        if (id != Vocabulary::end) id *= wordy_vocabulary / 152;
  return batches;
}

constexpr LearnerConfig quick{
    .schedule = {.kind = ScheduleKind::constant, .learning_rate = 0.01, .warm_up = 0},
    .r_drop = 1,
    .r_drop_after = 2,
    .ema = 0.9};

// The state of all ranks together, and what they reported.
struct Result {
  std::vector<double> weights, first, second, ema, shown;
  std::vector<double> losses, norms;
  size_t least_state = 0, most_state = 0;  // bytes of moments and EMA at one rank

  bool operator==(const Result& other) const {
    return weights == other.weights && first == other.first && second == other.second &&
           ema == other.ema && shown == other.shown && losses == other.losses &&
           norms == other.norms;
  }
};

using Use = std::function<void(Learner&, Communicator&, Result&)>;

// Every message takes its time.
class SlowMessages : public ThreadCommunicator {
 public:
  SlowMessages(const ThreadCommunicator& ranks, std::chrono::milliseconds time)
      : ThreadCommunicator(ranks), time_(time) {}

  using Communicator::exchange;
  void exchange(std::span<const OutgoingMessage> out, std::span<const IncomingMessage> in,
                Waiting waiting) override {
    std::this_thread::sleep_for(time_);
    ThreadCommunicator::exchange(out, in, waiting);
  }

 private:
  std::chrono::milliseconds time_;
};

struct Circumstances {
  std::function<std::unique_ptr<Model>()> make_model = wide_model;
  std::chrono::milliseconds message = std::chrono::milliseconds(0);
};

// Calls use(learner, ranks, result) on each rank, and puts together what the ranks have at the end.
Result learn(int ranks, int shards, const Use& use, const Circumstances& circumstances = {}) {
  std::vector<Result> results(static_cast<size_t>(ranks));
  run_ranks(ranks, [&](const ThreadCommunicator& fast) {
    SlowMessages communicator(fast, circumstances.message);
    Result& mine = results[static_cast<size_t>(communicator.rank())];
    Workers workers(1 + communicator.rank() % 2);
    const std::unique_ptr<Model> model = circumstances.make_model();
    Learner learner(*model, quick, shards, workers, communicator);
    use(learner, communicator, mine);
    const LearnerState& state = learner.state();
    mine.weights = values_of(state.weights);
    mine.first = values_of(state.first_moment);
    mine.second = values_of(state.second_moment);
    mine.ema = values_of(state.ema);
    mine.least_state = mine.most_state =
        state.first_moment.bytes() + state.second_moment.bytes() + state.ema.bytes();
  });
  Result whole = results[0];
  for (size_t rank = 1; rank < results.size(); ++rank) {
    EXPECT_EQ(results[rank].weights, whole.weights);
    EXPECT_EQ(results[rank].shown, whole.shown);
    EXPECT_EQ(results[rank].losses, whole.losses);
    EXPECT_EQ(results[rank].norms, whole.norms);
    for (auto Result::*part : {&Result::first, &Result::second, &Result::ema})
      (whole.*part)
          .insert((whole.*part).end(), (results[rank].*part).begin(), (results[rank].*part).end());
    whole.least_state = std::min(whole.least_state, results[rank].least_state);
    whole.most_state = std::max(whole.most_state, results[rank].most_state);
  }
  return whole;
}

// Two batches a step, from some step on with R-Drop, then the EMA.
void take_steps(Learner& learner, Result& result, int shards, uint64_t begin, uint64_t end) {
  for (uint64_t step = begin; step < end; ++step) {
    const Steps batches = {tiny_shards(shards, 2 * step), tiny_shards(shards, 2 * step + 1)};
    const StepReport report = learner.learn(batches);
    result.losses.push_back(report.loss);
    result.norms.push_back(report.gradient_norm);
  }
  const Learner::EmaWeights ema(learner);
  result.shown = values_of(learner.parameters().array());
}

TEST(LearnerRanks, HaveTheNumbersOfOne) {
  for (const int shards : {1, 4, 5}) {
    const auto run = [&](int ranks) {
      return learn(ranks, shards, [&](Learner& learner, Communicator&, Result& result) {
        take_steps(learner, result, shards, 0, 4);
      });
    };
    const Result alone = run(1);
    EXPECT_EQ(alone.shown, alone.ema);
    ASSERT_GT(blocks_of(static_cast<int64_t>(alone.weights.size())), 4);
    for (const int ranks : {2, 3, 4, 7})
      EXPECT_TRUE(run(ranks) == alone) << shards << " shards on " << ranks << " ranks";
  }
}

// The weights of others come in several stripes, long after a step has begun.
TEST(LearnerRanks, HaveTheNumbersOfOneWhereMessagesAreSlow) {
  const auto run = [](int ranks, std::chrono::milliseconds message) {
    return learn(ranks, 4,
                 [](Learner& learner, Communicator&, Result& result) {
                   take_steps(learner, result, 4, 0, 3);
                 },
                 {large_model, message});
  };
  const Result alone = run(1, {});
  ASSERT_GT(Ownership(static_cast<int64_t>(alone.weights.size()), 0, 2).stripes(), 1);
  for (const int ranks : {2, 3}) {
    const Result slow = run(ranks, std::chrono::milliseconds(20));
    EXPECT_TRUE(slow.weights == alone.weights) << ranks << " ranks";
    EXPECT_TRUE(slow.shown == alone.shown) << ranks << " ranks";
    EXPECT_EQ(slow.losses, alone.losses);
    EXPECT_EQ(slow.norms, alone.norms);
  }
}

// Most of the weights are tables, of which the rows that a step looks up come first.
TEST(LearnerRanks, HaveTheNumbersOfOneWithLargeVocabularies) {
  for (const TiedEmbeddings tied : {TiedEmbeddings::all, TiedEmbeddings::none}) {
    const auto run = [&](int ranks, std::chrono::milliseconds message) {
      return learn(
          ranks, 4,
          [](Learner& learner, Communicator&, Result& result) {
            for (uint64_t step = 0; step < 2; ++step) {
              const Steps batches = {wordy_shards(4, 2 * step), wordy_shards(4, 2 * step + 1)};
              const StepReport report = learner.learn(batches);
              result.losses.push_back(report.loss);
              result.norms.push_back(report.gradient_norm);
            }
          },
          {[&] { return wordy_model(tied); }, message});
    };
    const Result alone = run(1, {});
    const int ranks = tied == TiedEmbeddings::all ? 2 : 3;
    const Result shared = run(ranks, std::chrono::milliseconds(5));
    EXPECT_TRUE(shared.weights == alone.weights);
    EXPECT_EQ(shared.losses, alone.losses);
    EXPECT_EQ(shared.norms, alone.norms);
  }
}

// Of a model with some hundred blocks, so that one block more or less is within 5 %.
TEST(LearnerRanks, ShareTheStateOfTheOptimiser) {
  const auto state_on = [](int ranks) {
    return learn(ranks, 4, [](Learner&, Communicator&, Result&) {}, {large_model});
  };
  const Result alone = state_on(1);
  const double all = static_cast<double>(alone.most_state);
  EXPECT_EQ(alone.most_state, 3 * sizeof(float) * alone.weights.size());
  for (const int ranks : {2, 4}) {
    const Result shared = state_on(ranks);
    EXPECT_NEAR(static_cast<double>(shared.least_state) * ranks / all, 1, 0.05) << ranks;
    EXPECT_NEAR(static_cast<double>(shared.most_state) * ranks / all, 1, 0.05) << ranks;
  }
}

TEST(LearnerRanks, GoOnFromTheStateOfAnyNumber) {
  LearnerState middle;
  const Result whole = learn(1, 4, [&](Learner& learner, Communicator&, Result& result) {
    take_steps(learner, result, 4, 0, 3);
    const LearnerState& state = learner.state();
    middle = {state.weights.clone(),
              state.first_moment.clone(),
              state.second_moment.clone(),
              state.ema.clone(),
              state.step,
              state.updates};
    result = {};
    take_steps(learner, result, 4, 3, 5);
  });
  for (const int ranks : {1, 2, 3, 6}) {
    const auto go_on = [&](Learner& learner, Communicator& communicator, Result& result) {
      learner.restore(communicator.is_first() ? middle : LearnerState{});
      take_steps(learner, result, 4, 3, 5);
    };
    EXPECT_TRUE(learn(ranks, 4, go_on) == whole) << ranks << " ranks";
  }
}

TEST(LearnerRanks, AgreeThatANumberIsNotFinite) {
  learn(3, 4, [&](Learner& learner, Communicator& communicator, Result&) {
    EXPECT_TRUE(learner.is_finite());
    Tensor moment = learner.state().first_moment;
    if (communicator.rank() == 2) moment.span<float>()[0] = std::nanf("");
    EXPECT_FALSE(learner.is_finite());
    moment.fill(0);
    const float before = std::exchange(learner.weights()[0], std::nanf(""));
    EXPECT_TRUE(learner.learn(Steps{tiny_shards(4, 1)}).skipped);
    learner.weights()[0] = before;
    EXPECT_EQ(learner.state().updates, 0);
    EXPECT_TRUE(learner.is_finite());
  });
}

}  // namespace
}  // namespace heed
