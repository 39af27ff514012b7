// The folder of a model to test with.
#pragma once

#include <filesystem>
#include <string>

#include "heed/folders/model_folder.h"
#include "small_vocabulary.h"

namespace heed::testing {

inline ModelConfig small_config() {
  const int64_t vocabulary = small_vocabulary().size();
  return TransformerConfig{.source_vocabulary = vocabulary,
                           .target_vocabulary = vocabulary,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .width = 16,
                           .ffn = 32,
                           .heads = 2};
}

// An untrained model: it says something, always the same.
inline void put_model(const std::string& folder, uint64_t seed = 5,
                      const ModelConfig& config = small_config()) {
  Rng rng(seed);
  const std::unique_ptr<Model> model = make_model(config, rng);
  std::filesystem::create_directories(folder);
  save_model_description(folder, config, small_vocabulary(), small_vocabulary());
  save_weights(folder, parameters_of(*model));
}

}  // namespace heed::testing
