// What a run prepares before the first step, in the model's folder: the corpora, the
// vocabularies and the description of the model. Whatever exists already is not made again, so a
// run that was killed can continue.
#pragma once

#include <memory>
#include <optional>

#include "heed/base/lock_file.h"
#include "heed/data/corpus_store.h"
#include "heed/runs/training_task.h"

namespace heed {

struct PreparedTraining {
  // No other program trains in the folder. Absent where another rank has it.
  std::optional<LockFile> lock;
  std::unique_ptr<CorpusStore> train, valid;
  std::unique_ptr<CorpusStore> mixed, general;  // or null
  LearnerConfig learner;
  std::unique_ptr<TaughtModel> taught;
};

// An Error if settings do not fit, or if the folder holds something else, or a run with other
// settings that must not change.
PreparedTraining prepare_training(const TrainingSettings& settings, const Announce& announce = {});

// What another rank has prepared in the folder.
PreparedTraining open_prepared(const TrainingSettings& settings);

}  // namespace heed
