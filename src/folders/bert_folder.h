// An encoder-only model as a folder: config.json, model.safetensors and tokenizer.json, as Hugging
// Face has it for BERT. heed's own folders are the same, with a seal.
#pragma once

#include <filesystem>
#include <memory>

#include "heed/data/word_pieces.h"
#include "heed/folders/stored_weights.h"
#include "heed/models/bert.h"

namespace heed {

struct BertFolder {
  BertConfig config;
  std::unique_ptr<Bert> model;
  WordPieces pieces;
  WeightStorage storage = WeightStorage::float32;
};

// Whether the folder's config.json says so.
bool is_bert_folder(const std::filesystem::path& folder);

// Of a classifier or a masked-language model, it is the encoder. An Error names the file that is
// missing, damaged or does not fit the others, and what heed cannot honour. Of Hugging Face's
// arrays, the pooler and the heads for other tasks are not read.
BertFolder load_bert_folder(const std::filesystem::path& folder, Changes changes = Changes::refuse);

// Writes the weights last: without them, a folder is not a model.
void save_bert_folder(const std::filesystem::path& folder, const BertFolder& model);

}  // namespace heed
