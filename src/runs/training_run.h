// A training run: from files of sentence pairs to a model in its folder.
//
//   heed::TrainingSettings settings;
//   settings.train = {"text.en", "text.de"};
//   settings.folder = "en-de";
//   settings.trainer.seconds = 1800;
//   heed::train(settings, {.validated = [](const heed::Validation& v, const heed::Progress&) { …
//   }});
//
// A run that is killed at any moment continues with the same settings and ends with the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "heed/runs/training_settings.h"

namespace heed {

// What a run is about, once it is prepared.
struct TrainingSummary {
  Task task = Task::translate;
  std::string model;  // "transformer", "rnn", "language-model"
  int64_t parameters = 0;
  int64_t learning_parameters = 0;                       // fewer if some stay as they are
  int64_t source_vocabulary = 0, target_vocabulary = 0;  // the first is 0 if there is only one
  int64_t training_pairs = 0, validation_pairs = 0;      // or texts
  int threads = 0;
  int64_t steps = 0;  // taken before, if the run continues; see resumed
  bool resumed = false;
  // Floating-point operations of training, per token.
  double operations_per_source_token = 0, operations_per_target_token = 0;
  TrainerConfig trainer;  // with everything that was chosen
};

// Callbacks of a run, all of them optional and called on the thread that trains, at rank 0. An
// exception ends the run and reaches its caller; the same settings continue it.
struct TrainingCallbacks {
  std::function<void(const std::string& sentence)> prepares = {};  // what is being done, in words
  std::function<void(const TrainingSummary&)> begins = {};
  std::function<void(const StepReport&, const Progress&)> step = {};
  std::function<void(const Validation&, const Progress&)> validated = {};
  std::function<bool()> interrupted = {};  // asked after each step; true ends the run
};

// The run in its parts, for programs that do something between preparing and training.
class TrainingRun {
 public:
  // Prepares the corpora, the vocabularies and the model, or finds them in the folder. An Error if
  // settings do not fit, or if the folder holds something else, or a run with other settings, or
  // one that another program works on.
  // On many ranks, each makes a run with the same settings; rank 0 prepares what the others read.
  explicit TrainingRun(TrainingSettings settings, TrainingCallbacks callbacks = {},
                       Communicator& ranks = alone());
  ~TrainingRun();
  TrainingRun(TrainingRun&&) noexcept;
  TrainingRun& operator=(TrainingRun&&) noexcept;

  const TrainingSummary& summary() const;
  const Progress& progress() const;

  // Trains until a budget or the patience is spent, or until it is interrupted. The best model is
  // in the folder. An Error if the run diverges.
  TrainingEnd train();

  // The floating-point operations per second that the run's threads could do at most; measures for
  // some hundredths of a second. Before or after train(), or in a callback.
  double peak_flops();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Both at once.
TrainingEnd train(const TrainingSettings& settings, const TrainingCallbacks& callbacks = {});

}  // namespace heed
