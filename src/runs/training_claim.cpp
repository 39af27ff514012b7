#include "heed/runs/training_claim.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/text.h"
#include "heed/data/corpus_store.h"
#include "heed/runs/mixed_text.h"
#include "heed/runs/recorded_settings.h"
#include "heed/runs/training_files.h"
#include "heed/runs/training_task.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// The settings that determine the result of a run.
RecordedSettings settings_of(const TrainingSettings& settings) {
  RecordedSettings recorded = record_settings(settings);
  recorded.insert(settings.model.begin(), settings.model.end());
  recorded.insert(settings.learning.begin(), settings.learning.end());
  // Unless --decay-steps is given, the budget decides where the learning rate reaches zero.
  const auto schedule = settings.learning.find("schedule");
  if (schedule != settings.learning.end() &&
      (schedule->second == "cosine" || schedule->second == "linear"))
    recorded.emplace("decay-steps", fmt::format("{}", settings.trainer.steps));
  return recorded;
}

// What a run was started with; nothing if it was not. A setting that heed did not have then had, in
// effect, its default value.
RecordedSettings settings_before(const fs::path& file) {
  if (!fs::exists(file)) return {};
  RecordedSettings before = load_settings(file);
  before.merge(record_settings(TrainingSettings()));
  return before;
}

fs::path state_of(const fs::path& folder) { return folder / "training"; }

constexpr const char* files_name = "files.json";

void discard_corpora(const fs::path& folder) {
  for (const char* name :
       {"all.pairs", "train.pairs", "valid.pairs", "mixed.pairs", "general.pairs"})
    fs::remove(state_of(folder) / name);
}

// Everything that a run writes before its first checkpoint.
void discard_preparation(const fs::path& folder) {
  discard_corpora(folder);
  fs::remove_all(state_of(folder) / "attention");
  fs::remove_all(state_of(folder) / "pretrained");
  // The weights first: they are sealed with the files beside them and would refuse those of another
  // run.
  for (const char* name :
       {"model.safetensors", "adapter.safetensors", "config.json", "source.spm", "target.spm",
        "vocab.json", "target_vocab.json", "tokenizer.model", "tokenizer.json", "training.jsonl",
        "curves.svg", "tokenizer_config.json", "shortlist.safetensors", "alignment-head"})
    fs::remove(folder / name);
}

// Besides partial files.
bool holds_only(const fs::path& folder, const std::set<std::string>& names) {
  std::error_code error;
  FolderNames found(folder, error);
  while (const char* name = found.next())
    if (!names.contains(name) && !is_partial_file(name)) return false;
  require(!error, "{}: cannot be read: {}", folder.string(), error.message());
  return true;
}

// Whether the folder holds nothing, or only what a run leaves if it is killed before it has written
// its settings.
bool is_unclaimed(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return true;
  const fs::path state = state_of(folder);
  return holds_only(folder, {state.filename().string()}) &&
         (!fs::is_directory(state, error) || holds_only(state, {"lock", files_name}));
}

// Some settings of a model, such as dropout, can change during training.
void change_model(const TrainingSettings& settings) {
  const fs::path corpus = state_of(settings.folder) / "train.pairs";
  task_of(settings)->change_model(fs::exists(corpus) ? size_of(CorpusStore(corpus)) : CorpusSize());
}

// Files that have changed since the run was started.
struct ChangedFiles {
  std::vector<std::string> train, valid, vocabulary;

  bool empty() const { return train.empty() && valid.empty() && vocabulary.empty(); }
};

ChangedFiles changed_files(const TrainingSettings& settings, const TrainingFiles& before,
                           const TrainingFiles& now) {
  return {changed_files(training_texts(settings), before.train, now.train),
          changed_files(validation_texts(settings), before.valid, now.valid),
          changed_files(settings.vocabulary_files, before.vocabulary, now.vocabulary)};
}

void refuse_changed(const TrainingSettings& settings, const ChangedFiles& files) {
  const auto have_changed = [](const std::vector<std::string>& names) {
    return fmt::format("{}: {} changed since the run was started",
                       printable(fmt::format("{}", fmt::join(names, ", "))),
                       names.size() == 1 ? "has" : "have");
  };
  require(files.vocabulary.empty(),
          "{}, but a run's vocabulary cannot change; a new run needs an empty folder",
          have_changed(files.vocabulary));
  std::vector<std::string> corpus = files.train;
  corpus.insert(corpus.end(), files.valid.begin(), files.valid.end());
  require(corpus.empty() || settings.change_settings, "{}; --override continues with the new text",
          have_changed(corpus));
}

// Checked before anything made from them is thrown away.
void require_readable(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (::access(file.c_str(), R_OK) != 0)
      fail("{}: cannot be read: {}", file, std::strerror(errno));
}

void discard_changed(const TrainingSettings& settings, const ChangedFiles& files) {
  const fs::path state = state_of(settings.folder);
  if (!files.train.empty()) require_readable(training_texts(settings));
  if (!files.valid.empty()) require_readable(validation_texts(settings));
  // Without validation files, some training pairs were held out.
  if (!files.train.empty() && settings.valid.empty()) return discard_corpora(settings.folder);
  const auto discard = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) fs::remove(state / name);
  };
  if (!files.train.empty()) discard({"train.pairs", "mixed.pairs"});
  if (!files.valid.empty()) discard({"valid.pairs", "general.pairs"});
}

void accept_changes(const TrainingSettings& settings, const RecordedSettings& before,
                    const RecordedSettings& now, const ChangedFiles& files) {
  const std::vector<std::string> changed = changed_settings(before, now);
  const bool other_start = task_of(settings)->pretrained_has_changed();
  if (changed.empty() && files.empty() && !other_start) return;
  const bool begun = fs::exists(state_of(settings.folder) / "state.safetensors");
  if (!begun) return discard_preparation(settings.folder);
  require(changed.empty() || settings.change_settings,
          "{}: the run was started with other settings: {}; --override continues with the new ones",
          settings.folder.string(), fmt::join(changed, ", "));
  const auto of_kind = [](Change change, const RecordedSettings& recorded) {
    return only<TrainingSettings>(change, recorded);
  };
  const auto words =
      changed_settings(of_kind(Change::refused, before), of_kind(Change::refused, now));
  require(words.empty(),
          "{}: a run's task and vocabulary cannot change: {}; a new run needs an empty folder",
          settings.folder.string(), fmt::join(words, ", "));
  require(!other_start,
          "{}: has changed since the run was started; a new run needs an empty folder",
          settings.pretrained);
  refuse_changed(settings, files);
  if (of_kind(Change::new_corpus, before) != of_kind(Change::new_corpus, now)) {
    require_readable(training_texts(settings));
    require_readable(validation_texts(settings));
    change_model(settings);
    return discard_corpora(settings.folder);
  }
  change_model(settings);
  discard_changed(settings, files);
}

TrainingFiles marked_files(const TrainingSettings& settings, const TrainingFiles& before) {
  return {mark_files(training_texts(settings), before.train),
          mark_files(validation_texts(settings), before.valid),
          mark_files(settings.vocabulary_files, before.vocabulary)};
}

// If the names differ, so do the files.
TrainingFiles files_before(const fs::path& path, const RecordedSettings& before,
                           const RecordedSettings& now) {
  TrainingFiles files = load_training_files(path);
  const auto forget_unless_same = [&](const char* name, FileMarks& marks) {
    const auto then = before.find(name), today = now.find(name);
    if (then == before.end() || then->second != today->second) marks.clear();
  };
  forget_unless_same("train", files.train);
  forget_unless_same("mix", files.train);
  forget_unless_same("guide", files.train);
  forget_unless_same("weights", files.train);
  forget_unless_same("tags", files.train);
  forget_unless_same("valid", files.valid);
  forget_unless_same("general", files.valid);
  forget_unless_same("valid-tags", files.valid);
  forget_unless_same("vocabulary-files", files.vocabulary);
  return files;
}

}  // namespace

LockFile claim_folder(const TrainingSettings& settings) {
  const fs::path& folder = settings.folder;
  const fs::path file = state_of(folder) / "settings.json";
  std::error_code error;
  require(!fs::exists(folder, error) || fs::is_directory(folder, error),
          "{}: is a file, but a folder was expected", folder.string());
  require(fs::exists(file, error) || is_unclaimed(folder),
          "{}: not an empty folder, and not a run that can be continued", folder.string());
  fs::create_directories(state_of(folder), error);
  require(!error, "{}: cannot be created: {}", folder.string(), error.message());
  std::optional<LockFile> lock = LockFile::hold(state_of(folder) / "lock");
  require(lock.has_value(), "{}: another program is training in this folder", folder.string());
  remove_partial_files(folder);
  remove_partial_files(state_of(folder));
  const RecordedSettings now = settings_of(settings);
  const RecordedSettings before = settings_before(file);
  const TrainingFiles old_files = files_before(state_of(folder) / files_name, before, now);
  const TrainingFiles files = marked_files(settings, old_files);
  if (!before.empty())
    accept_changes(settings, before, now, changed_files(settings, old_files, files));
  save_training_files(state_of(folder) / files_name, remembered(old_files, files));
  // Last, because the marks belong to the files named in the settings; see files_before.
  save_settings(file, now);
  return std::move(*lock);
}

}  // namespace heed
