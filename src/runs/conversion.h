// From model folders of heed and of other tools to new ones of heed.
#pragma once

#include <filesystem>

#include "heed/folders/bert_folder.h"
#include "heed/folders/classifier_folder.h"
#include "heed/folders/masked_folder.h"
#include "heed/folders/model_folder.h"

namespace heed {

// An Error unless the folder looks like a model of heed, of CTranslate2 or of Hugging Face.
void check_any_model(const std::filesystem::path& from);

// The model in such a folder. An Error if it is damaged.
ModelFolder read_any_model(const std::filesystem::path& from, Changes changes = Changes::refuse);

// An Error unless a model can be saved there: the folder is new or empty. Worth asking before a
// model is read, which may take a while.
void check_new_folder(const std::filesystem::path& to);

// Saves a model in a new or empty folder. If that fails, nothing is left of it.
void save_new_model(const std::filesystem::path& to, const ModelFolder& model);
void save_new_model(const std::filesystem::path& to, const BertFolder& model);
void save_new_model(const std::filesystem::path& to, const ClassifierFolder& model);
void save_new_model(const std::filesystem::path& to, const MaskedFolder& model);

}  // namespace heed
