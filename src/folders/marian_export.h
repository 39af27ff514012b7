// Writes a translator as a folder of Marian: model.npz with its settings inside, the vocabularies,
// and decoder.yml for `marian-decoder -c`.
#pragma once

#include <filesystem>

#include "heed/folders/model_folder.h"

namespace heed {

// An Error names what the model has and Marian's Transformers do not.
void check_fits_marian(const ModelFolder& model);

// Writes the weights last: without them, a folder is not a model. The folder must be there.
void save_marian_folder(const std::filesystem::path& folder, const ModelFolder& model);

}  // namespace heed
