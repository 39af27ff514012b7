// Reads packages of Argos Translate: a model of CTranslate2, its SentencePiece model or bpe.model
// and the languages, in a zip archive (*.argosmodel) or unpacked in a folder.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

// Whether it is a zip archive with a metadata.json, or a folder with one and a model.
bool is_argos_package(const std::filesystem::path& path);

// With a bpe.model, text is split as by Argos Translate (see moses_pieces.h). Abbreviations are
// heed's, unless the package has them in files of Moses, such as
// nonbreaking_prefixes/nonbreaking_prefix.en. An Error names what is missing, damaged or not
// supported, and parts whose names lead out of the archive.
ModelFolder read_argos_package(const std::filesystem::path& path);

}  // namespace heed
