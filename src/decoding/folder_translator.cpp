#include "heed/decoding/folder_translator.h"

#include "heed/base/error_place.h"

namespace heed {

TranslatorOptions options_for(const ModelFolder& loaded, const TranslatorOptions& wanted,
                              const std::filesystem::path& folder) {
  require(!std::holds_alternative<LanguageModelConfig>(loaded.config), ErrorKind::usage,
          "{}: is a language model, which does not translate; `heed generate` continues texts",
          folder.string());
  require(!wanted.use_shortlist || loaded.shortlist, ErrorKind::usage,
          "{}: the model has no shortlist; `heed shortlist` learns one", folder.string());
  TranslatorOptions options = wanted;
  options.lengths = loaded.lengths;
  options.search = loaded.notes.search;
  options.tags = loaded.notes.tags;
  if (!wanted.tag.empty()) with_place(folder.string(), [&] { tags_of(loaded).ids_of(wanted.tag); });
  if (wanted.use_shortlist)
    options.shortlist = std::make_shared<const Shortlist>(*loaded.shortlist);
  if (loaded.storage == WeightStorage::int8) options.precision = Precision::int8;
  return options;
}

Translator make_translator(const ModelFolder& loaded, const TranslatorOptions& wanted,
                           const std::filesystem::path& folder) {
  const TranslatorOptions options = options_for(loaded, wanted, folder);
  return {loaded.model->prepare(options.precision), loaded.source, loaded.target, options};
}

}  // namespace heed
