#include "heed/folders/masked_folder.h"

#include "heed/base/error.h"
#include "heed/folders/bert_config_json.h"
#include "heed/folders/bert_files.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

MaskedFolder read_folder(const fs::path& folder, Changes changes) {
  const std::string text = bert_config_text(folder);
  require(describes_bert(text) && head_of_bert(text) == BertHead::masked,
          "{}: is not the folder of a masked-language model", folder.string());
  const ModelSeal seal = load_seal(folder);
  if (changes == Changes::refuse) seal.check(folder);
  const BertConfig config = parse_bert_config(text, (folder / bert_files::config).string());
  WordPieces pieces = load_bert_pieces(folder, config);
  auto model = std::make_unique<MaskedModel>(config, Initialiser::unset());
  const WeightStorage storage = load_bert_weights(folder, seal, *model);
  return {config, std::move(model), std::move(pieces), storage};
}

}  // namespace

bool is_masked_folder(const fs::path& folder) {
  const std::string text = bert_config_text(folder);
  return describes_bert(text) && head_of_bert(text) == BertHead::masked;
}

MaskedFolder load_masked_folder(const fs::path& folder, Changes changes) {
  return with_error_kind(ErrorKind::model, [&] { return read_folder(folder, changes); });
}

void save_masked_folder(const fs::path& folder, const MaskedFolder& model) {
  save_bert_files(folder,
                  {{bert_files::tokenizer, model.pieces.json()},
                   {bert_files::config, to_json(model.config, BertHead::masked)}},
                  *model.model, model.storage);
}

}  // namespace heed
