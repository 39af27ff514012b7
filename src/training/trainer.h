// A whole training run: steps, validations, checkpoints, and the end. It can be killed at any
// moment and continued, and ends with the same weights as if nothing had happened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "heed/data/training_batches.h"
#include "heed/training/checkpoint.h"
#include "heed/training/learner.h"
#include "heed/training/validation.h"

namespace heed {

struct TrainerConfig {
  LearnerConfig learner = {};
  int shards = 4;
  int accumulate = 1;          // batches per step
  int64_t validate_every = 0;  // steps; 0: at the end of each epoch
  int64_t save_every = 1000;   // steps between checkpoints; validations save one, too
  Criterion criterion = Criterion::cross_entropy;
  int patience = 0;  // validations without a new best until the run ends; 0: never
  // Average the weights of this many last validations at the end; 0 or 1: none.
  int average_last = 0;

  // The run ends with whichever comes first; 0 for no limit.
  int64_t steps = 0;
  int64_t epochs = 0;
  double seconds = 0;  // of training, without validation

  bool operator==(const TrainerConfig&) const = default;
};

// Callbacks of a run, which only rank 0 calls. All of them may be empty.
struct TrainerEvents {
  std::function<void(const StepReport&, const Progress&)> step = {};
  std::function<void(const Validation&, const Progress&)> validated = {};
  std::function<OutputScores()> judge = {};          // what the model says, as it is then
  std::function<OutputScores()> judge_general = {};  // the same of general text
  // The same, at each validation with finite weights but that of averaged ones, which are no step
  // of training. A validation that is repeated after a kill calls it again.
  std::function<void(int64_t step)> watch = {};
  std::function<bool()> interrupted = {};  // asked after each step
};

enum class TrainingEnd { budget, patience, interrupted, already_finished };

// The inputs of a run. It moves the position of the batches.
struct TrainerInputs {
  PredictingModel& model;
  TrainingBatches& batches;
  std::span<const ValidationBatch> validation;
  Workers& workers;
  // Saves the model, as it is then, in the folder. By default, what is learned is saved.
  std::function<void(const std::filesystem::path& folder)> save_best = {};
  Communicator& ranks = alone();
  std::span<const ValidationBatch> general = {};  // text that should not be forgotten
};

// In the folder, model.safetensors holds the best weights so far (see save_weights), training.jsonl
// a line for each validation and for some steps, and training/ what is needed to continue.
//
// On many ranks, all of them run the same loop and know the same progress. Rank 0 alone reads the
// clock, is interrupted, and reads and writes the folder.
class Trainer {
 public:
  // Continues the run in the folder, if there is one.
  Trainer(const TrainerInputs& inputs, const TrainerConfig& config, std::filesystem::path folder);

  // An Error if the run diverges: the loss is not finite for many steps in a row, or the weights or
  // the last validation are not. The best weights are kept, and so is the last checkpoint of a
  // finite state.
  TrainingEnd run(const TrainerEvents& events);

  bool resumed() const { return resumed_; }
  const Progress& progress() const { return progress_; }
  const Learner& learner() const { return learner_; }

 private:
  void do_step(const TrainerEvents& events);
  void account_for(const StepReport& report, double seconds);
  bool validation_is_due(bool epoch_ended) const;
  bool budget_is_spent() const;
  bool patience_is_spent() const;
  void validate(const TrainerEvents& events);
  Validation measure(const TrainerEvents& events);
  void judge(Validation& validation, const TrainerEvents& events);
  bool is_interrupted(const TrainerEvents& events) const;
  bool is_better(double value) const;
  void keep_snapshot();
  void remove_old_snapshots() const;
  void finish(const TrainerEvents& events);
  bool is_worth_saving() const;
  [[noreturn]] void give_up() const;
  void average_snapshots(const TrainerEvents& events);
  void load_mean(std::span<const int64_t> steps);
  void save();
  template <typename Report>
  void log(const Report& report);
  bool is_first() const { return in_.ranks.is_first(); }
  std::filesystem::path state_file() const { return folder_ / "training" / "state.safetensors"; }
  std::filesystem::path snapshot_file(int64_t step) const;
  size_t wanted_snapshots() const { return static_cast<size_t>(std::max(config_.average_last, 0)); }

  TrainerInputs in_;
  TrainerConfig config_;
  std::filesystem::path folder_;
  Learner learner_;
  Progress progress_;
  bool resumed_ = false;
  bool epoch_ended_ = false;
  bool validation_was_finite_ = true;  // the last one of this run
};

}  // namespace heed
