// A language model to test with.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"
#include "small_vocabulary.h"

namespace heed::testing {

inline LanguageModelConfig small_language_config(int64_t context_length = 24) {
  return {.vocabulary = small_vocabulary().size(),
          .layers = 2,
          .width = 16,
          .ffn = 24,
          .heads = 2,
          .context_length = context_length};
}

// An untrained model: it says something, always the same. Its weights are large, so that some
// tokens are likelier than others.
inline ModelFolder small_language_model(int64_t context_length = 24) {
  const LanguageModelConfig config = small_language_config(context_length);
  Rng rng(5);
  std::unique_ptr<Model> model = make_model(config, rng);
  model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
    if (name.ends_with("embed_tokens.weight"))
      for (float& number : value.span<float>()) number *= 50;
  });
  return {config, std::move(model), small_vocabulary(), small_vocabulary()};
}

inline void put_language_model(const std::filesystem::path& folder, int64_t context_length = 24) {
  std::filesystem::create_directories(folder);
  save_model_folder(folder, small_language_model(context_length));
}

}  // namespace heed::testing
