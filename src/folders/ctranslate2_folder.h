// Reads CTranslate2 models: a folder with model.bin, vocabularies and, optionally, SentencePiece
// models.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "heed/data/moses_settings.h"
#include "heed/folders/model_folder.h"

namespace heed {

// For a model whose tokens are what Moses's tokeniser and byte-pair encoding make of text, which
// its own files do not say.
struct MosesSides {
  std::string name;  // of the file of merges, for errors
  MosesSettings source, target;
};

bool is_ctranslate2_folder(const std::filesystem::path& folder);

// A Transformer that computes the same. Without SentencePiece models and Moses, its text is tokens
// separated by spaces. An Error names what is missing, damaged or not supported.
ModelFolder read_ctranslate2_folder(const std::filesystem::path& folder,
                                    const std::optional<MosesSides>& moses = std::nullopt);

}  // namespace heed
