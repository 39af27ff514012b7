// Models of CTranslate2: a folder with model.bin and its vocabularies, and with SentencePiece
// models or without.
#pragma once

#include <filesystem>

#include "heed/models/model_folder.h"

namespace heed {

bool is_ctranslate2_folder(const std::filesystem::path& folder);

// A Transformer that computes the same. Without SentencePiece models its text is tokens between
// spaces. An Error names what is missing, damaged, or what heed's Transformer has no place for.
ModelFolder read_ctranslate2_folder(const std::filesystem::path& folder);

}  // namespace heed
