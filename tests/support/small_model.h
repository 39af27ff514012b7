// The folder of a model to test with.
#pragma once

#include <filesystem>
#include <string>

#include "heed/folders/model_folder.h"
#include "small_vocabulary.h"

namespace heed::testing {

inline ModelConfig small_config(int64_t width = 16) {
  const int64_t vocabulary = small_vocabulary().size();
  return TransformerConfig{.source_vocabulary = vocabulary,
                           .target_vocabulary = vocabulary,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .width = width,
                           .ffn = 2 * width,
                           .heads = 2};
}

// Lengths of training that keep the translations of an untrained model short: it never learnt to
// end a sentence.
inline constexpr TrainedLengths short_lengths = {60, 20, 2};

// An untrained model: it says something, always the same.
inline void put_model(const std::string& folder, uint64_t seed = 5,
                      const ModelConfig& config = small_config(),
                      const TrainedLengths& lengths = {}, const ModelNotes& notes = {}) {
  Rng rng(seed);
  const std::unique_ptr<Model> model = make_model(config, rng);
  std::filesystem::create_directories(folder);
  save_model_description(folder, config, small_vocabulary(), small_vocabulary(), lengths, notes);
  save_weights(folder, parameters_of(*model));
}

}  // namespace heed::testing
