// Writes translation models as MarianMT folders of Hugging Face: config.json, model.safetensors,
// source.spm, target.spm, vocab.json, tokenizer_config.json and generation_config.json, with
// nothing of heed's own in them.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

// An Error names what MarianMT does not have, before anything is written.
void check_fits_marian_mt(const ModelFolder& model);

// As float32 or float16, as the model's storage says. The folder must exist.
void save_marian_mt_folder(const std::filesystem::path& folder, const ModelFolder& model);

}  // namespace heed
