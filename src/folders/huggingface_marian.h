// Reads translation models in MarianMT folders of Hugging Face: config.json, source.spm,
// target.spm, vocab.json and the weights.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

// Whether config.json says so, and is not heed's as well.
bool is_marian_mt_folder(const std::filesystem::path& folder);

// A Transformer that computes the same. An Error names what is missing, damaged or not supported.
ModelFolder read_marian_mt_folder(const std::filesystem::path& folder);

}  // namespace heed
