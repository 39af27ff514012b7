// A model that is served: loaded once, used by all requests.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "heed/attention/head_name.h"
#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "heed/server/model_name.h"
#include "heed/server/shared_vocabularies.h"
#include "heed/server/translator_keeper.h"

namespace heed {

// A model with some heads switched off, or none. Both share what they can with the model that was
// loaded. May outlive the ServedModel that it comes from.
struct ModelVariant {
  std::vector<HeadName> without;  // sorted
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Translator> translator;
};

struct ModelFigures {
  std::string kind;  // "transformer", "rnn"
  int64_t parameters = 0;
  HeadCounts heads = {};
  bool has_curves = false;  // of its training
};

// By which a change of a file is noticed. A file that takes the place of another may well be older.
struct FileStamp {
  std::string name;
  std::filesystem::file_time_type time;
  uintmax_t bytes = 0;

  auto operator<=>(const FileStamp&) const = default;
};

class ServedModel {
 public:
  // An Error if the folder has no model that translates. The keeper lives longer.
  ServedModel(NamedFolder named, const TranslatorOptions& options, SharedVocabularies& vocabularies,
              TranslatorKeeper& keeper);

  const LanguagePair& languages() const { return named_.languages; }
  std::string name() const { return named_.languages.name(); }
  const std::filesystem::path& folder() const { return named_.folder; }
  const ModelFigures& figures() const { return figures_; }
  const ModelFolder& loaded() const { return *loaded_; }
  const Vocabulary& source() const { return loaded_->source; }
  const Vocabulary& target() const { return loaded_->target; }
  SearchOptions usual_search() const { return heed::usual_search(loaded_->notes.search); }
  const std::string& usual_tag() const { return named_.tag; }
  const SourceTags& tags() const { return whole_->translator->tags(); }

  // The last few that differ from the whole model are kept. An Error names a head that the model
  // does not have.
  std::shared_ptr<const ModelVariant> variant(std::vector<HeadName> without) const;

  // Of the files that it was loaded from, and of those that are there now.
  const std::vector<FileStamp>& stamps() const { return stamps_; }
  static std::vector<FileStamp> stamps_of(const NamedFolder& named);
  const NamedFolder& named() const { return named_; }

 private:
  std::shared_ptr<const ModelVariant> make_variant(std::vector<HeadName> without) const;

  NamedFolder named_;
  std::vector<FileStamp> stamps_;
  std::shared_ptr<const ModelFolder> loaded_;
  TranslatorOptions options_;
  TranslatorKeeper& keeper_;
  ModelFigures figures_;
  std::shared_ptr<const ModelVariant> whole_;
  mutable std::mutex mutex_;
  mutable std::deque<std::shared_ptr<const ModelVariant>> recent_;
};

}  // namespace heed
