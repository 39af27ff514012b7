#include "heed/runs/adapted_translator.h"

#include "heed/base/error.h"
#include "heed/folders/adapter_file.h"

namespace heed {

Translator load_adapted_translator(const std::filesystem::path& folder,
                                   const std::filesystem::path& adapter,
                                   const TranslatorOptions& options) {
  ModelFolder loaded = load_model_folder(folder);
  apply_adapter(adapter, loaded);  // an Error if it is no translator's
  TranslatorOptions chosen = options;
  chosen.lengths = loaded.lengths;
  chosen.search = loaded.notes.search;
  require(!options.use_shortlist || loaded.shortlist, ErrorKind::usage,
          "{}: the model has no shortlist", folder.string());
  if (options.use_shortlist)
    chosen.shortlist = std::make_shared<const Shortlist>(*loaded.shortlist);
  const bool integers = loaded.storage == WeightStorage::int8;
  return {loaded.model->prepare(integers ? Precision::int8 : options.precision), loaded.source,
          loaded.target, chosen};
}

}  // namespace heed
