// What the tasks have in common whose models generate text: translators and language models.
#pragma once

#include <cstdint>
#include <memory>

#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary_training.h"
#include "heed/models/model_config.h"
#include "heed/runs/training_settings.h"

namespace heed {

// With fresh weights that depend on the seed alone.
std::unique_ptr<Model> new_model(const ModelConfig& config, uint64_t seed);

// Changes the description in the run's folder to these settings, with the vocabularies that it has.
// An Error if the weights do not fit them.
void change_description(const TrainingSettings& settings, ModelConfig model);

enum class Side { source, target, both };

// The sentences of one side of a corpus or of both, one after the other.
SentenceSource sentences_of(const CorpusStore& store, Side side);

}  // namespace heed
