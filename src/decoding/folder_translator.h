// From a model folder that is loaded to a translator.
#pragma once

#include <filesystem>

#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"

namespace heed {

// What the caller wants, with what the folder knows of its model: the lengths it was trained with,
// how it is searched, its tags, its shortlist if that is wanted, and 8 bits where the weights are
// stored so. `folder` is what errors name. An Error if the model does not translate, or lacks a
// shortlist or the tag.
TranslatorOptions options_for(const ModelFolder& loaded, const TranslatorOptions& wanted,
                              const std::filesystem::path& folder);

Translator make_translator(const ModelFolder& loaded, const TranslatorOptions& wanted,
                           const std::filesystem::path& folder);

}  // namespace heed
