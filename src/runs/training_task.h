// What a training run does in its own way for each task: reading its files, describing its model,
// making examples, and judging what the model says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/corpus_store.h"
#include "heed/data/example_maker.h"
#include "heed/data/pair_notes.h"
#include "heed/folders/model_seal.h"
#include "heed/models/model.h"
#include "heed/runs/presets.h"
#include "heed/runs/training_settings.h"
#include "heed/runs/watched_step.h"
#include "heed/training/memory_plan.h"
#include "heed/training/validation.h"

namespace heed {

// Receives a sentence about what is being done.
using Announce = std::function<void(const std::string&)>;

// Files to be read, and what others say about their entries.
struct TextFiles {
  std::vector<std::string> files;
  PairNoteFiles notes = {};
};

// A model with fresh weights, and how it is taught.
class TaughtModel {
 public:
  virtual ~TaughtModel() = default;

  virtual PredictingModel& model() = 0;
  virtual std::string_view name() const = 0;  // of its kind
  // What learns, if not the model itself: it.
  virtual PredictingModel& learning() { return model(); }
  virtual ModelSeal seal() const = 0;  // what the weights are saved with

  // Of what it reads and of what it predicts; 0 if it reads nothing but what it predicts.
  virtual int64_t source_vocabulary() const = 0;
  virtual int64_t target_vocabulary() const = 0;

  virtual std::shared_ptr<const ExampleMaker> training_examples() const = 0;
  virtual std::shared_ptr<const ExampleMaker> validation_examples() const = 0;
  // Whether steps of examples of about the same length are faster.
  virtual bool groups_by_length() const { return true; }

  // A few made-up examples, which show how much memory a step takes.
  virtual Batch made_up_batch() const {
    return heed::made_up_batch(source_vocabulary(), target_vocabulary());
  }

  // Saves the model, as it is, in the folder.
  virtual void save(const std::filesystem::path& folder);

  // What the model says about held-out texts, with its weights as they are.
  virtual OutputScores judge(int threads) const = 0;

  // The same about other texts than those held out.
  virtual OutputScores judge_on(const CorpusStore&, int /*threads*/) const { return {}; }

  // What every head attends to in the sentences to be watched, if there are any.
  virtual bool watches() const { return false; }
  virtual WatchedStep look(int64_t step, Workers& workers) const;
};

// Works in the folder of the settings, which must outlive it.
class TrainingTask {
 public:
  explicit TrainingTask(const TrainingSettings& settings) : settings_(settings) {}
  virtual ~TrainingTask() = default;

  // An Error for settings that cannot work with any corpus, before hours are spent on a large one.
  virtual void check() const = 0;
  // The same for what the settings name besides the corpus.
  virtual void check_files() const {}
  // Whether the pretrained model is no longer the one that the run has started from.
  virtual bool pretrained_has_changed() const { return false; }

  // Reads files into a prepared corpus. Returns what was found, in words.
  virtual std::string read(const TextFiles& text, const std::filesystem::path& to) const = 0;

  // An Error if nothing can be learned from the corpus, or if the held-out one does not fit it. The
  // latter is null if it is yet to be taken from the corpus.
  virtual void check_corpus(const CorpusStore&, const CorpusStore*) const {}
  // Whether an entry of the corpus may be held out. Asked once for each that is about to be.
  using HoldingOut = std::function<bool(const PairView& entry)>;
  virtual HoldingOut holding_out(const CorpusStore&) const {
    return [](const PairView&) { return true; };
  }

  // The settings of learning that suit a corpus of this size.
  virtual LearnerConfig learner(const CorpusSize& size) const = 0;

  // Learns the vocabulary and writes the description of a new model, config.json last.
  virtual void describe_model(const CorpusStore& train, const Announce& announce) const = 0;
  // Adds what the description says about the corpus, which may have changed.
  virtual void describe_corpus(const CorpusStore&) const {}
  // Changes the description to new settings. An Error if the weights do not fit them.
  virtual void change_model(const CorpusSize& size) const = 0;

  // What was described. The corpus of held-out texts must outlive it.
  virtual std::unique_ptr<TaughtModel> open(const CorpusStore& valid) const = 0;

 protected:
  const TrainingSettings& settings() const { return settings_; }

 private:
  const TrainingSettings& settings_;
};

// The task that the settings name.
std::unique_ptr<TrainingTask> task_of(const TrainingSettings& settings);

// An Error for settings that cannot work with any corpus.
void refuse_impossible_settings(const TrainingSettings& settings);

}  // namespace heed
