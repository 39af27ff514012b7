// Model sizes with matching training settings.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heed/data/corpus_store.h"
#include "heed/models/model_config.h"
#include "heed/runs/training_settings.h"

namespace heed {

inline constexpr std::array<std::string_view, 4> preset_names = {"tiny", "small", "base", "rnn"};

struct Preset {
  ModelConfig model;
  LearnerConfig learner;
};

// What decides how large a model should be.
struct CorpusSize {
  int64_t entries = 0;  // sentence pairs
  int64_t bytes = 0;
};

CorpusSize size_of(const CorpusStore& corpus);

Preset preset_of(std::string_view name, Task task = Task::translate);
// The size of Transformer that suits a corpus: by its pairs, or for other tasks by its bytes.
std::string_view preset_for(const CorpusSize& size, Task task = Task::translate);

// The preset that was asked for, or that suits the corpus, with the given settings applied. An
// Error names a setting that is not a number where one was expected, or that the model does not
// have.
Preset chosen_preset(const TrainingSettings& settings, const CorpusSize& size);

// An Error if no preset works with these settings, whatever the size of the corpus.
void check_presets(const TrainingSettings& settings);

bool has_two_vocabularies(const TrainingSettings& settings);

}  // namespace heed
