// Reads models of Marian and of Bergamot (Firefox Translations): weights in model.npz or *.bin,
// with the settings in them, and vocabularies beside them.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

// Whether the path is a folder with such weights, or the file with them.
bool is_marian_model(const std::filesystem::path& path);

// A Transformer that computes the same, and searches in the same way. An Error names what is
// missing, damaged or not supported.
ModelFolder read_marian_model(const std::filesystem::path& path);

}  // namespace heed
