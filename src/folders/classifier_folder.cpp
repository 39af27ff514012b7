#include "heed/folders/classifier_folder.h"

#include "heed/base/error.h"
#include "heed/folders/bert_config_json.h"
#include "heed/folders/bert_files.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

ClassifierFolder read_folder(const fs::path& folder, Changes changes) {
  std::error_code none;
  require(fs::exists(folder, none), ErrorKind::system, "{}: there is no such folder",
          folder.string());
  const std::string text = bert_config_text(folder);
  require(describes_bert(text) && head_of_bert(text) == BertHead::classifier,
          "{}: is not the folder of a classifier; `heed train --task classify` makes one",
          folder.string());
  const ModelSeal seal = load_seal(folder);
  if (changes == Changes::refuse) seal.check(folder);
  auto [config, labels] = parse_classifier_config(text, (folder / bert_files::config).string());
  WordPieces pieces = load_bert_pieces(folder, config.encoder);
  auto model = std::make_unique<Classifier>(config, Initialiser::unset());
  const WeightStorage storage = load_bert_weights(folder, seal, *model);
  return {config, std::move(labels), std::move(model), std::move(pieces), storage};
}

}  // namespace

bool is_classifier_folder(const fs::path& folder) {
  const std::string text = bert_config_text(folder);
  return describes_bert(text) && head_of_bert(text) == BertHead::classifier;
}

ClassifierFolder load_classifier_folder(const fs::path& folder, Changes changes) {
  return with_error_kind(ErrorKind::model, [&] { return read_folder(folder, changes); });
}

void save_classifier_folder(const fs::path& folder, const ClassifierFolder& model) {
  save_bert_files(folder,
                  {{bert_files::tokenizer, model.pieces.json()},
                   {bert_files::config, to_json({model.config, model.labels})}},
                  *model.model, model.storage);
}

}  // namespace heed
