// A masked-language model as a folder: a BERT folder (see bert_folder.h) with the head that fills
// in words, in the layout of Hugging Face's BertForMaskedLM.
#pragma once

#include <filesystem>
#include <memory>

#include "heed/data/word_pieces.h"
#include "heed/folders/stored_weights.h"
#include "heed/models/masked_model.h"

namespace heed {

struct MaskedFolder {
  BertConfig config;
  std::unique_ptr<MaskedModel> model;
  WordPieces pieces;
  WeightStorage storage = WeightStorage::float32;
};

// Whether the folder's config.json says so.
bool is_masked_folder(const std::filesystem::path& folder);

// An Error names the file that is missing, damaged or does not fit the others, and what heed cannot
// honour.
MaskedFolder load_masked_folder(const std::filesystem::path& folder,
                                Changes changes = Changes::refuse);
void save_masked_folder(const std::filesystem::path& folder, const MaskedFolder& model);

}  // namespace heed
