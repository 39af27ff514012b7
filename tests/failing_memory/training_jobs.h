// What makes models better, and what tells how good they are.
#pragma once

#include <memory>

#include "../training/tiny_training.h"
#include "comparable_files.h"
#include "heed/runs/evaluation.h"
#include "memory_sweep.h"

namespace heed::testing {

inline std::string bytes_of(const Tensor& numbers) {
  const std::span<const std::byte> bytes = std::as_bytes(numbers.span<float>());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string bytes_of(const LearnerState& state) {
  return fmt::format("{} {} ", state.step, state.updates) + bytes_of(state.weights) +
         bytes_of(state.first_moment) + bytes_of(state.second_moment) + bytes_of(state.ema);
}

inline LearnerState copy_of(const LearnerState& state) {
  return {state.weights.clone(),
          state.first_moment.clone(),
          state.second_moment.clone(),
          state.ema.clone(),
          state.step,
          state.updates};
}

// A learner that is still what it was after a step that failed.
class StepJob {
 public:
  explicit StepJob(int threads) : workers_(threads), first_(copy_of(learner_.state())) {}

  void prepare() { learner_.restore(first_); }
  void run() { report_ = learner_.learn(batches_); }
  std::string result() const {
    return fmt::format("{} {} ", report_.step, report_.loss) + bytes_of(learner_.state());
  }

 private:
  Workers workers_;
  std::unique_ptr<Model> model_ = tiny_model();
  Learner learner_{*model_, {.r_drop = 1, .ema = 0.9}, 2, workers_};
  std::vector<std::vector<Batch>> batches_ = {tiny_shards(2, 1), tiny_shards(2, 2)};
  LearnerState first_;
  StepReport report_;
};

inline MemoryJob learning_a_step(int threads) {
  const auto job = std::make_shared<StepJob>(threads);
  return {.run = [job] { job->run(); },
          .result = [job] { return job->result(); },
          .prepare = [job] { job->prepare(); },
          .kept_by_threads = threads > 1 ? few_pieces : 0};
}
inline MemoryJob learning_a_step_on_one_thread() { return learning_a_step(1); }
inline MemoryJob learning_a_step_on_two_threads() { return learning_a_step(2); }

inline TrainerConfig short_run() {
  TrainerConfig config;
  config.learner.ema = 0.9;
  config.shards = 2;
  config.steps = 4;
  config.validate_every = 2;
  config.save_every = 1;
  config.average_last = 2;
  return config;
}

// A whole run, which goes on after a failure from what that has left in the folder.
inline MemoryJob training() {
  const auto tiny = std::make_shared<TinyTraining>();
  return {.run = [tiny] { tiny->run("run", short_run()); },
          .result =
              [tiny] {
                std::string all;
                for (const auto& [name, bytes] : comparable_files(tiny->path("run")))
                  all += name + bytes;
                return all;
              },
          .prepare = [tiny] { std::filesystem::remove_all(tiny->path("run")); },
          .kept_by_threads = few_pieces};
}

// The step that ends an epoch, so that the next one is prepared.
inline MemoryJob making_batches() {
  struct Batches {
    Batches() {
      CorpusWriter writer(folder.path("pairs"));
      for (uint64_t i = 0; i < 6; ++i) writer.add(made_up_sentence(i), made_up_sentence(i + 100));
      writer.commit();
      store.emplace(folder.path("pairs"));
      batches.emplace(*store,
                      std::make_shared<PairExamples>(small_vocabulary(), small_vocabulary(),
                                                     PairExamplesConfig{.source_sampling = 0.2}),
                      BatchConfig{.tokens = 10000, .shards = 2});
    }
    TemporaryFolder folder{fast_folder()};
    std::optional<CorpusStore> store;
    std::optional<TrainingBatches> batches;
    StepBatch step;
  };
  const auto made = std::make_shared<Batches>();
  return {.run = [made] { made->step = made->batches->next(); },
          .result =
              [made] {
                std::string text =
                    fmt::format("epoch {}, then {}:", made->step.epoch, made->step.after.epoch);
                for (const Batch& shard : made->step.shards)
                  for (const int32_t id : shard.source.ids) text += fmt::format(" {}", id);
                return text;
              },
          .prepare =
              [made] {
                made->batches->seek({1, 0, 0});
              },
          .kept_by_threads = few_pieces};
}

inline MemoryJob evaluating(MetricKind metric) {
  return job_of([metric] {
    NamedLines translations = {"a", {}}, others = {"b", {}}, references = {"c", {}};
    for (uint64_t i = 0; i < 3; ++i) {
      translations.lines.push_back(made_up_sentence(i));
      others.lines.push_back(made_up_sentence(i + 1));
      references.lines.push_back(made_up_sentence(i + 2) + made_up_sentence(i));
    }
    const std::vector<MetricKind> metrics = {metric};
    const std::vector<NamedLines> both = {translations, others}, judges = {references};
    return to_json(evaluate(translations, judges, metrics, {}, true)) +
           to_text(evaluate_systems(both, judges, metrics, {}, {.samples = 10}));
  });
}
inline MemoryJob evaluating_bleu() { return evaluating(MetricKind::bleu); }
inline MemoryJob evaluating_chrf() { return evaluating(MetricKind::chrf); }
inline MemoryJob evaluating_chrf_with_words() { return evaluating(MetricKind::chrf_plus_plus); }
inline MemoryJob evaluating_ter() { return evaluating(MetricKind::ter); }
inline MemoryJob evaluating_accuracy() { return evaluating(MetricKind::accuracy); }

}  // namespace heed::testing
