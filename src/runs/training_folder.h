// What a run prepares before the first step, in the model's folder: the corpora, the
// vocabularies and the description of the model. Whatever exists already is not made again, so a
// run that was killed can continue.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "heed/base/lock_file.h"
#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"
#include "heed/models/model_config.h"
#include "heed/models/trained_lengths.h"
#include "heed/runs/training_settings.h"

namespace heed {

struct PreparedTraining {
  // No other program trains in the folder. Absent where another rank has it.
  std::optional<LockFile> lock;
  std::unique_ptr<CorpusStore> train, valid;
  Vocabulary source, target;
  ModelConfig model;
  LearnerConfig learner;
  TrainedLengths lengths;
};

// Receives a sentence about what is being done.
using Announce = std::function<void(const std::string&)>;

// An Error if settings do not fit, or if the folder holds something else, or a run with other
// settings that must not change.
PreparedTraining prepare_training(const TrainingSettings& settings, const Announce& announce = {});

// What another rank has prepared in the folder.
PreparedTraining open_prepared(const TrainingSettings& settings);

}  // namespace heed
