// Writes translation models as folders of CTranslate2: model.bin, config.json, vocabularies, and
// the SentencePiece models for who makes the tokens.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

// An Error names what CTranslate2 does not have, before anything is written.
void check_fits_ctranslate2(const ModelFolder& model);

// The model's storage says how matrices are stored. The folder must exist.
void save_ctranslate2_folder(const std::filesystem::path& folder, const ModelFolder& model);

}  // namespace heed
