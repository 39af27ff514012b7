// Reads CTranslate2 models: a folder with model.bin, vocabularies and, optionally, SentencePiece
// models.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

bool is_ctranslate2_folder(const std::filesystem::path& folder);

// A Transformer that computes the same. Without SentencePiece models, its text is tokens separated
// by spaces. An Error names what is missing, damaged or not supported.
ModelFolder read_ctranslate2_folder(const std::filesystem::path& folder);

}  // namespace heed
