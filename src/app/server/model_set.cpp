#include "heed/server/model_set.h"

#include <algorithm>
#include <set>

#include "heed/base/error.h"
#include "heed/server/http_text.h"
#include "heed/server/languages.h"

namespace heed {

ModelSet::ModelSet(std::vector<std::shared_ptr<const ServedModel>> models)
    : models_(std::move(models)) {
  std::set<std::string> all, read, written;
  for (const auto& model : models_) {
    const LanguagePair& pair = model->languages();
    const auto [first, is_new] = by_languages_.emplace(pair, model);
    require(is_new, ErrorKind::usage, "serve: {} and {} both translate {}",
            first->second->folder().string(), model->folder().string(), pair.name());
    all.insert({pair.source, pair.target});
    read.insert(pair.source);
    written.insert(pair.target);
  }
  languages_.assign(all.begin(), all.end());
  sources_.assign(read.begin(), read.end());
  targets_.assign(written.begin(), written.end());
}

std::optional<std::string> ModelSet::known_language(std::string_view code) const {
  const std::string wanted = lower_case(code), base = base_language(code);
  for (const std::string& language : languages_)
    if (lower_case(language) == wanted) return language;
  for (const std::string& language : languages_)
    if (lower_case(language) == base) return language;
  // What an adapter makes of a language has to be asked for.
  for (const std::string& language : languages_)
    if (base_language(language) == wanted && language.find("-x-") == language.npos) return language;
  return std::nullopt;
}

std::shared_ptr<const ServedModel> ModelSet::find(const LanguagePair& languages) const {
  const auto found = by_languages_.find(languages);
  return found == by_languages_.end() ? nullptr : found->second;
}

ModelPath ModelSet::path(const LanguagePair& languages, bool may_pivot,
                         const std::optional<std::string>& pivot) const {
  const auto through = [&](const std::string& third) -> ModelPath {
    auto first = find({languages.source, third}), second = find({third, languages.target});
    if (!first || !second) return {};
    return {std::move(first), std::move(second)};
  };
  if (pivot) return through(*pivot);
  if (auto direct = find(languages)) return {std::move(direct)};
  if (!may_pivot || languages.source == languages.target) return {};
  if (ModelPath path = through("en"); !path.empty()) return path;
  for (const std::string& third : languages_)
    if (ModelPath path = through(third); !path.empty()) return path;
  return {};
}

std::vector<std::string> ModelSet::targets_of(const std::string& source, bool may_pivot) const {
  std::vector<std::string> targets;
  for (const std::string& target : languages_)
    if (!path({source, target}, may_pivot).empty()) targets.push_back(target);
  return targets;
}

std::vector<std::string> ModelSet::sources_of(const std::string& target, bool may_pivot,
                                              const std::optional<std::string>& pivot) const {
  std::vector<std::string> possible;
  for (const std::string& source : sources_)
    if (!path({source, target}, may_pivot, pivot).empty()) possible.push_back(source);
  return possible.empty() ? sources_ : possible;
}

std::shared_ptr<const ModelSet> load_models(const std::vector<NamedFolder>& folders,
                                            const TranslatorOptions& options,
                                            TranslatorKeeper& keeper, const ModelSet* before) {
  SharedVocabularies vocabularies;
  std::vector<std::shared_ptr<const ServedModel>> models(folders.size());
  for (size_t i = 0; before != nullptr && i < folders.size(); ++i)
    for (const auto& model : before->models())
      if (model->folder() == folders[i].folder && model->languages() == folders[i].languages &&
          model->stamps() == ServedModel::stamps_of(folders[i])) {
        models[i] = model;
        vocabularies.shared(model->source());
        vocabularies.shared(model->target());
      }
  for (size_t i = 0; i < folders.size(); ++i)
    if (!models[i])
      models[i] = std::make_shared<const ServedModel>(folders[i], options, vocabularies, keeper);
  return std::make_shared<const ModelSet>(std::move(models));
}

}  // namespace heed
