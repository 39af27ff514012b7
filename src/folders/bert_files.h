// What the folders of all kinds of BERT share: their files, and how weights are found in them.
#pragma once

#include <filesystem>
#include <string>

#include "heed/data/word_pieces.h"
#include "heed/folders/model_seal.h"
#include "heed/folders/stored_weights.h"
#include "heed/models/bert_config.h"

namespace heed {

namespace bert_files {

inline constexpr const char* config = "config.json";
inline constexpr const char* tokenizer = "tokenizer.json";
inline constexpr const char* weights = "model.safetensors";

}  // namespace bert_files

// The text of the folder's config.json; none if there is no such file.
std::string bert_config_text(const std::filesystem::path& folder);

// The folder's word pieces. An Error if they or the weights cannot be those of such an encoder; it
// comes before memory is allocated for a model of unchecked sizes.
WordPieces load_bert_pieces(const std::filesystem::path& folder, const BertConfig& config);

// Puts the folder's weights into the model: heed's own if the folder is sealed, otherwise those of
// another tool, of which arrays of other heads are left out.
WeightStorage load_bert_weights(const std::filesystem::path& folder, const ModelSeal& seal,
                                ParameterModel& model);

// Files before weights: without those, a folder is not a model.
void save_bert_files(const std::filesystem::path& folder, const DescriptionFiles& files,
                     ParameterModel& model, WeightStorage storage);

}  // namespace heed
