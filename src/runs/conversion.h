// From models of heed and of other tools to new ones, of heed or for other tools.
#pragma once

#include <filesystem>
#include <string>

#include "heed/folders/bert_folder.h"
#include "heed/folders/classifier_folder.h"
#include "heed/folders/masked_folder.h"
#include "heed/folders/model_folder.h"

namespace heed {

// An Error unless a model can be saved there: the folder is new or empty. Worth asking before a
// model is read, which may take a while.
void check_new_folder(const std::filesystem::path& to);

// What is to be noted of a model's origin once it is stored like this: where it comes from, and
// that its numbers have fewer bits. Nothing where a model of heed stays as it was.
std::string origin_when_stored(const ModelFolder& model, WeightStorage storage);

// What a model can be written as.
enum class ModelFormat { heed, ctranslate2, huggingface, marian };

// An Error names what the format does not have.
void check_fits(const ModelFolder& model, ModelFormat format);

// Saves a model in a new or empty folder. If that fails, nothing is left of it.
void save_new_model(const std::filesystem::path& to, const ModelFolder& model,
                    ModelFormat format = ModelFormat::heed);
void save_new_model(const std::filesystem::path& to, const BertFolder& model);
void save_new_model(const std::filesystem::path& to, const ClassifierFolder& model);
void save_new_model(const std::filesystem::path& to, const MaskedFolder& model);

}  // namespace heed
