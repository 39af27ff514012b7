// A trained model as a folder: config.json, model.safetensors, source.spm, target.spm and vocab.json, laid
// out like a MarianMT folder.
#pragma once

#include <filesystem>
#include <memory>

#include "heed/data/vocabulary.h"
#include "heed/models/model_config.h"
#include "heed/models/stored_weights.h"

namespace heed {

struct ModelFolder {
  ModelConfig config;
  std::unique_ptr<Model> model;
  Vocabulary source;
  Vocabulary target;
  WeightStorage storage = WeightStorage::float32;
  TrainedLengths lengths = {};
};

ModelConfig load_model_config(const std::filesystem::path& file);
TrainedLengths load_trained_lengths(const std::filesystem::path& file);

// An Error names the file that is missing, damaged or does not fit the others. Weights that are not finite
// are refused.
ModelFolder load_model_folder(const std::filesystem::path& folder);

// The parts that do not change while a model is trained.
void save_model_description(const std::filesystem::path& folder, const ModelConfig& config,
                            const Vocabulary& source, const Vocabulary& target,
                            const TrainedLengths& lengths = {});

}  // namespace heed
