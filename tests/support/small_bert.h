// An untrained encoder to test with, and its folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "heed/folders/bert_folder.h"
#include "small_word_pieces.h"

namespace heed::testing {

inline BertConfig small_bert_config() {
  return {.vocabulary = 20,
          .layers = 2,
          .width = 32,
          .ffn = 48,
          .heads = 2,
          .context_length = 12,
          .types = 2};
}

inline BertFolder small_bert(uint64_t seed = 5, const BertConfig& config = small_bert_config()) {
  Rng rng(seed);
  return {config, std::make_unique<Bert>(config, rng),
          WordPieces::from_json(small_tokenizer_json())};
}

inline void put_bert(const std::string& folder, uint64_t seed = 5) {
  std::filesystem::create_directories(folder);
  save_bert_folder(folder, small_bert(seed));
}

}  // namespace heed::testing
