// The models of a server, by their languages.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/server/served_model.h"

namespace heed {

// One model, or two that meet in a third language.
using ModelPath = std::vector<std::shared_ptr<const ServedModel>>;

class ModelSet {
 public:
  explicit ModelSet(std::vector<std::shared_ptr<const ServedModel>> models);

  const std::vector<std::shared_ptr<const ServedModel>>& models() const { return models_; }
  const std::vector<std::string>& languages() const { return languages_; }
  // That some model reads.
  const std::vector<std::string>& sources() const { return sources_; }
  // That some model writes.
  const std::vector<std::string>& targets() const { return targets_; }

  // The code as the models have it: "EN" -> "en", "en-US" -> "en", "zh" -> "zh-Hans". Nothing if
  // there is no such language.
  std::optional<std::string> known_language(std::string_view code) const;

  // Directly, or else through a third language: `pivot`, or any if pivots are wanted. Empty if
  // there is no way.
  ModelPath path(const LanguagePair& languages, bool may_pivot,
                 const std::optional<std::string>& pivot = {}) const;
  // The languages that a language can be translated to, itself not among them.
  std::vector<std::string> targets_of(const std::string& source, bool may_pivot) const;
  // The languages that can be translated to a language; all that some model reads if there are
  // none.
  std::vector<std::string> sources_of(const std::string& target, bool may_pivot,
                                      const std::optional<std::string>& pivot = {}) const;

 private:
  std::shared_ptr<const ServedModel> find(const LanguagePair& languages) const;

  std::vector<std::shared_ptr<const ServedModel>> models_;
  std::map<LanguagePair, std::shared_ptr<const ServedModel>> by_languages_;
  std::vector<std::string> languages_, sources_, targets_;
};

// Loads the models of these folders; those of `before` that have not changed on disk are taken
// over. An Error if one cannot be loaded, or two are for the same languages. The keeper lives
// longer than the models.
std::shared_ptr<const ModelSet> load_models(const std::vector<NamedFolder>& folders,
                                            const TranslatorOptions& options,
                                            TranslatorKeeper& keeper,
                                            const ModelSet* before = nullptr);

}  // namespace heed
