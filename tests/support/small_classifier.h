// Untrained models upon an encoder to test with, and their folders.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "heed/folders/classifier_folder.h"
#include "heed/folders/masked_folder.h"
#include "small_bert.h"

namespace heed::testing {

inline ClassifierFolder small_classifier(TextPooling pooling = TextPooling::mean,
                                         bool several = false) {
  const ClassifierConfig config = {
      .encoder = small_bert_config(), .labels = 3, .several_labels = several, .pooling = pooling};
  Rng rng(6);
  return {config,
          {"good", "bad", "neither \"x\""},
          std::make_unique<Classifier>(config, rng),
          WordPieces::from_json(small_tokenizer_json())};
}

inline void put_classifier(const std::string& folder, TextPooling pooling = TextPooling::mean,
                           bool several = false) {
  std::filesystem::create_directories(folder);
  save_classifier_folder(folder, small_classifier(pooling, several));
}

inline MaskedFolder small_masked_model() {
  Rng rng(7);
  return {small_bert_config(), std::make_unique<MaskedModel>(small_bert_config(), rng),
          WordPieces::from_json(small_tokenizer_json())};
}

inline void put_masked(const std::string& folder) {
  std::filesystem::create_directories(folder);
  save_masked_folder(folder, small_masked_model());
}

}  // namespace heed::testing
