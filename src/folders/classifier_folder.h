// A classifier as a folder: a BERT folder (see bert_folder.h) with the layer that scores labels, in
// the layout of Hugging Face's BertForSequenceClassification.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/word_pieces.h"
#include "heed/folders/stored_weights.h"
#include "heed/models/classifier.h"

namespace heed {

struct ClassifierFolder {
  ClassifierConfig config;
  std::vector<std::string> labels;
  std::unique_ptr<Classifier> model;
  WordPieces pieces;
  WeightStorage storage = WeightStorage::float32;
};

// Whether the folder's config.json says so.
bool is_classifier_folder(const std::filesystem::path& folder);

// An Error names the file that is missing, damaged or does not fit the others, and what heed cannot
// honour.
ClassifierFolder load_classifier_folder(const std::filesystem::path& folder,
                                        Changes changes = Changes::refuse);
void save_classifier_folder(const std::filesystem::path& folder, const ClassifierFolder& model);

}  // namespace heed
