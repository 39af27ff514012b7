// A translator with an adapter: see folders/adapter_file.h.
#pragma once

#include <filesystem>

#include "heed/decoding/translator.h"

namespace heed {

// As Translator::load, with the adapter added to the weights of the model in the folder.
Translator load_adapted_translator(const std::filesystem::path& folder,
                                   const std::filesystem::path& adapter,
                                   const TranslatorOptions& options = {});

}  // namespace heed
