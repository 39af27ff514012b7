// Reads language models of the Llama family in folders of Hugging Face: config.json,
// model.safetensors and tokenizer.model, a SentencePiece model.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

// Whether there is a config.json of Hugging Face's kind that is not heed's as well.
bool is_huggingface_folder(const std::filesystem::path& folder);

// A language model that computes the same. Its tokens have heed's ids; Vocabulary::model_id gives
// those of the folder. An Error names what is missing, damaged or not supported.
ModelFolder read_llama_folder(const std::filesystem::path& folder);

}  // namespace heed
