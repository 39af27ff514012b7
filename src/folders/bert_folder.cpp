#include "heed/folders/bert_folder.h"

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/folders/bert_config_json.h"
#include "heed/folders/bert_files.h"
#include "heed/folders/classifier_folder.h"
#include "heed/folders/masked_folder.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// The encoder of a sealed model is checked as a part of the whole. It shares the whole's weights.
template <typename Folder>
BertFolder encoder_of(Folder whole) {
  const Bert& encoder = whole.model->encoder();
  return {encoder.config(), std::make_unique<Bert>(encoder), std::move(whole.pieces),
          whole.storage};
}

BertFolder read_folder(const fs::path& folder, Changes changes) {
  std::error_code none;
  require(fs::exists(folder, none), ErrorKind::system, "{}: there is no such folder",
          folder.string());
  require(is_bert_folder(folder),
          "{}: is not the folder of an encoder such as BERT, which was expected", folder.string());
  const ModelSeal seal = load_seal(folder);
  if (changes == Changes::refuse) seal.check(folder);
  const fs::path file = folder / bert_files::config;
  const std::string text(MappedFile(file).text());
  if (!seal.empty() && head_of_bert(text) == BertHead::masked)
    return encoder_of(load_masked_folder(folder, changes));
  if (!seal.empty() && head_of_bert(text) == BertHead::classifier)
    return encoder_of(load_classifier_folder(folder, changes));
  const BertConfig config = parse_bert_config(text, file.string());
  WordPieces pieces = load_bert_pieces(folder, config);
  auto model = std::make_unique<Bert>(config, Initialiser::unset());
  const WeightStorage storage = load_bert_weights(folder, seal, *model);
  return {config, std::move(model), std::move(pieces), storage};
}

}  // namespace

bool is_bert_folder(const fs::path& folder) { return describes_bert(bert_config_text(folder)); }

BertFolder load_bert_folder(const fs::path& folder, Changes changes) {
  return with_error_kind(ErrorKind::model, [&] { return read_folder(folder, changes); });
}

void save_bert_folder(const fs::path& folder, const BertFolder& model) {
  save_bert_files(
      folder,
      {{bert_files::tokenizer, model.pieces.json()}, {bert_files::config, to_json(model.config)}},
      *model.model, model.storage);
}

}  // namespace heed
