#include "heed/server/served_model.h"

#include <algorithm>
#include <string_view>

#include "heed/base/folder.h"
#include "heed/decoding/folder_translator.h"
#include "heed/folders/adapter_file.h"
#include "heed/runs/attention_view.h"

namespace heed {

namespace {

constexpr size_t most_recent = 4;  // variants with heads switched off: each packs its weights

std::string kind_of(const ModelConfig& config) {
  return std::holds_alternative<TransformerConfig>(config) ? "transformer" : "rnn";
}

std::shared_ptr<const ModelFolder> load(const NamedFolder& named,
                                        SharedVocabularies& vocabularies) {
  ModelFolder loaded = load_adapted(named.folder, named.adapter);
  loaded.source = vocabularies.shared(loaded.source);
  loaded.target = vocabularies.shared(loaded.target);
  return std::make_shared<const ModelFolder>(std::move(loaded));
}

ModelFigures figures_of(const ModelFolder& loaded, const std::filesystem::path& folder) {
  ModelFigures figures;
  figures.kind = kind_of(loaded.config);
  figures.parameters = count_parameters(*loaded.model);
  figures.heads = loaded.model->head_counts();
  figures.has_curves = std::filesystem::exists(folder / "training.jsonl");
  return figures;
}

// Each tool has its own names for the files of a model. What a run writes beside them while it
// trains is none of them, and neither are files that are not complete yet.
bool is_of_the_model(std::string_view name) {
  return name != "training" && name != "training.jsonl" && name != "curves.svg" &&
         !name.starts_with('.');
}

TranslatorOptions with_tag(TranslatorOptions options, const std::string& tag) {
  options.tag = tag;
  return options;
}

}  // namespace

std::vector<FileStamp> ServedModel::stamps_of(const NamedFolder& named) {
  std::vector<FileStamp> stamps;
  const auto look_at = [&](const std::filesystem::path& file) {
    std::error_code missing, is_folder;
    FileStamp stamp{file.string(), std::filesystem::last_write_time(file, missing), 0};
    if (missing) return;
    stamp.bytes = std::filesystem::file_size(file, is_folder);
    stamps.push_back(std::move(stamp));
  };
  std::error_code is_no_folder;
  FolderNames names(named.folder, is_no_folder);
  if (is_no_folder) look_at(named.folder);
  while (const char* name = names.next())
    if (is_of_the_model(name)) look_at(named.folder / name);
  if (!named.glossary.empty()) look_at(named.glossary);
  if (!named.adapter.empty()) look_at(adapter_in(named.adapter));
  std::ranges::sort(stamps);
  return stamps;
}

ServedModel::ServedModel(NamedFolder named, const TranslatorOptions& options,
                         SharedVocabularies& vocabularies, TranslatorKeeper& keeper)
    : named_(std::move(named)),
      stamps_(stamps_of(named_)),
      loaded_(load(named_, vocabularies)),
      options_(options_for(*loaded_, with_tag(options, named_.tag), named_.folder)),
      keeper_(keeper),
      figures_(figures_of(*loaded_, named_.folder)) {
  if (!named_.glossary.empty())
    options_.glossary = std::make_shared<const Glossary>(Glossary::load(named_.glossary));
  whole_ = make_variant({});
}

std::shared_ptr<const ModelVariant> ServedModel::make_variant(std::vector<HeadName> without) const {
  ModelVariant variant;
  if (without.empty())
    variant.model = std::shared_ptr<const Model>(loaded_, loaded_->model.get());
  else
    variant.model = without_heads(*loaded_->model, without);
  variant.without = std::move(without);
  TranslatorOptions options = options_;
  if (!variant.without.empty()) options.threads = 1;  // an experiment, not the daily work
  variant.translator = keeper_.keep(
      {variant.model->prepare(options.precision), loaded_->source, loaded_->target, options});
  return std::make_shared<const ModelVariant>(std::move(variant));
}

std::shared_ptr<const ModelVariant> ServedModel::variant(std::vector<HeadName> without) const {
  if (without.empty()) return whole_;
  std::ranges::sort(without);
  without.erase(std::unique(without.begin(), without.end()), without.end());
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(
      recent_, [&](const auto& variant) { return variant->without == without; });
  std::shared_ptr<const ModelVariant> found;
  if (known != recent_.end()) {
    found = *known;
    recent_.erase(known);
  } else {
    found = make_variant(std::move(without));
  }
  recent_.push_front(found);
  if (recent_.size() > most_recent) recent_.pop_back();
  return found;
}

}  // namespace heed
