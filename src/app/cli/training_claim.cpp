#include "heed/app/cli/training_claim.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "heed/app/cli/field_text.h"
#include "heed/app/cli/train_presets.h"
#include "heed/app/cli/training_files.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/text.h"
#include "heed/data/corpus_store.h"
#include "heed/models/model_folder.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// File names may hold any bytes.
std::string joined(const std::vector<std::string>& names) {
  return printable(fmt::format("{}", fmt::join(names, " ")));
}

// The settings that determine the result of a run. Threads and budgets do not.
Settings settings_of(const TrainOptions& o) {
  Settings settings = {{"train", joined(o.train)},
                       {"valid", joined(o.valid)},
                       {"preset", o.preset.empty() ? "by size" : o.preset},
                       {"vocabulary", fmt::format("{}", o.vocabulary.size)},
                       {"vocabulary-kind", text_of_field(o.vocabulary.kind)},
                       {"separate-vocabularies", fmt::format("{}", o.separate)},
                       {"vocabulary-files", joined(o.vocabulary_files)},
                       {"tokenised", fmt::format("{}", o.vocabulary.tokenised)},
                       {"sampling", o.sampling ? fmt::format("{}", *o.sampling) : "none"},
                       {"batch", fmt::format("{}", o.batch_tokens)},
                       {"memory", fmt::format("{}", o.memory)},
                       {"max-length", fmt::format("{}", o.max_length)},
                       {"shards", fmt::format("{}", o.trainer.shards)},
                       {"accumulate", fmt::format("{}", o.trainer.accumulate)},
                       {"validate-every", fmt::format("{}", o.trainer.validate_every)},
                       {"criterion", std::string(name_of(o.trainer.criterion))},
                       {"average-last", fmt::format("{}", o.trainer.average_last)},
                       {"valid-beam", fmt::format("{}", o.valid_beam)},
                       {"valid-lines", fmt::format("{}", o.valid_lines)},
                       {"seed", fmt::format("{}", o.trainer.learner.seed)}};
  for (const auto& [name, value] :
       {std::pair{"format", &o.format}, {"from", &o.from}, {"to", &o.to}})
    if (!value->empty()) settings[name] = printable(*value);
  settings.insert(o.model.begin(), o.model.end());
  settings.insert(o.learning.begin(), o.learning.end());
  // Unless --decay-steps is given, the budget decides where the learning rate reaches zero.
  const auto schedule = o.learning.find("schedule");
  if (schedule != o.learning.end() &&
      (schedule->second == "cosine" || schedule->second == "linear"))
    settings.emplace("decay-steps", fmt::format("{}", o.trainer.steps));
  return settings;
}

constexpr std::array corpus_settings = {"train", "valid", "format", "from", "to"};
// The weights depend on the vocabulary.
constexpr std::array vocabulary_settings = {
    "vocabulary", "vocabulary-kind", "separate-vocabularies", "vocabulary-files", "tokenised"};

template <size_t size>
Settings only(const Settings& settings, const std::array<const char*, size>& names) {
  Settings kept;
  for (const char* name : names)
    if (const auto found = settings.find(name); found != settings.end()) kept.insert(*found);
  return kept;
}

fs::path state_of(const fs::path& folder) { return folder / "training"; }

constexpr const char* files_name = "files.json";

void discard_corpora(const fs::path& folder) {
  for (const char* name : {"all.pairs", "train.pairs", "valid.pairs"})
    fs::remove(state_of(folder) / name);
}

// Everything that a run writes before its first checkpoint.
void discard_preparation(const fs::path& folder) {
  discard_corpora(folder);
  // The weights first: they are sealed with the files beside them and would refuse those of another
  // run.
  for (const char* name : {"model.safetensors", "config.json", "source.spm", "target.spm",
                           "vocab.json", "target_vocab.json", "training.jsonl", "curves.svg"})
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

int64_t pairs_in(const fs::path& corpus) {
  return fs::exists(corpus) ? CorpusStore(corpus).pairs() : 0;
}

std::vector<Shape> shapes_of(const ModelConfig& config) {
  std::vector<Shape> shapes;
  make_model(config, Initialiser::unset())
      ->visit_parameters(
          {}, [&](const std::string&, Tensor& value) { shapes.push_back(value.shape()); });
  return shapes;
}

// Some settings of a model, such as dropout, can change during training.
void change_model(const TrainOptions& options) {
  const fs::path description = options.folder / "config.json";
  const ModelConfig before = load_model_config(description);
  ModelConfig now =
      chosen_preset(options, pairs_in(state_of(options.folder) / "train.pairs")).model;
  set_vocabularies(now, source_vocabulary(before), target_vocabulary(before));
  require(
      now.index() == before.index() && shapes_of(now) == shapes_of(before),
      "{}: the run's weights do not fit the new model settings; a new run needs an empty folder",
      options.folder.string());
  const std::string text = to_json(now, load_trained_lengths(description));
  // The weights first, and even if only they are left to change: a run killed between the two steps
  // comes back here.
  accept_config(options.folder, text);
  if (now != before) write_file_atomically(description, text);
}

// Files that have changed since the run was started.
struct ChangedFiles {
  std::vector<std::string> train, valid, vocabulary;

  bool empty() const { return train.empty() && valid.empty() && vocabulary.empty(); }
};

ChangedFiles changed_files(const TrainOptions& options, const TrainingFiles& before,
                           const TrainingFiles& now) {
  return {changed_files(options.train, before.train, now.train),
          changed_files(options.valid, before.valid, now.valid),
          changed_files(options.vocabulary_files, before.vocabulary, now.vocabulary)};
}

void refuse_changed(const TrainOptions& options, const ChangedFiles& files) {
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
  require(corpus.empty() || options.change_settings, "{}; --override continues with the new text",
          have_changed(corpus));
}

// Checked before anything made from them is thrown away.
void require_readable(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (::access(file.c_str(), R_OK) != 0)
      fail("{}: cannot be read: {}", file, std::strerror(errno));
}

void discard_changed(const TrainOptions& options, const ChangedFiles& files) {
  const fs::path state = state_of(options.folder);
  if (!files.train.empty()) require_readable(options.train);
  if (!files.valid.empty()) require_readable(options.valid);
  // Without validation files, some training pairs were held out.
  if (!files.train.empty() && options.valid.empty()) return discard_corpora(options.folder);
  if (!files.train.empty()) fs::remove(state / "train.pairs");
  if (!files.valid.empty()) fs::remove(state / "valid.pairs");
}

void accept_changes(const TrainOptions& options, const Settings& before, const Settings& now,
                    const ChangedFiles& files) {
  const std::vector<std::string> changed = changed_settings(before, now);
  if (changed.empty() && files.empty()) return;
  const bool begun = fs::exists(state_of(options.folder) / "state.safetensors");
  if (!begun) return discard_preparation(options.folder);
  require(changed.empty() || options.change_settings,
          "{}: the run was started with other settings: {}; --override continues with the new ones",
          options.folder.string(), fmt::join(changed, ", "));
  const auto words =
      changed_settings(only(before, vocabulary_settings), only(now, vocabulary_settings));
  require(words.empty(),
          "{}: a run's vocabulary cannot change: {}; a new run needs an empty folder",
          options.folder.string(), fmt::join(words, ", "));
  refuse_changed(options, files);
  if (only(before, corpus_settings) != only(now, corpus_settings)) {
    require_readable(options.train);
    require_readable(options.valid);
    change_model(options);
    return discard_corpora(options.folder);
  }
  change_model(options);
  discard_changed(options, files);
}

TrainingFiles marked_files(const TrainOptions& options, const TrainingFiles& before) {
  return {mark_files(options.train, before.train), mark_files(options.valid, before.valid),
          mark_files(options.vocabulary_files, before.vocabulary)};
}

// If the names differ, so do the files.
TrainingFiles files_before(const fs::path& path, const Settings& before, const Settings& now) {
  TrainingFiles files = load_training_files(path);
  const auto forget_unless_same = [&](const char* name, FileMarks& marks) {
    const auto then = before.find(name), today = now.find(name);
    if (then == before.end() || then->second != today->second) marks.clear();
  };
  forget_unless_same("train", files.train);
  forget_unless_same("valid", files.valid);
  forget_unless_same("vocabulary-files", files.vocabulary);
  return files;
}

}  // namespace

LockFile claim_folder(const TrainOptions& options) {
  const fs::path& folder = options.folder;
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
  const Settings now = settings_of(options);
  const Settings before = fs::exists(file) ? load_settings(file) : Settings();
  const TrainingFiles old_files = files_before(state_of(folder) / files_name, before, now);
  const TrainingFiles files = marked_files(options, old_files);
  if (!before.empty())
    accept_changes(options, before, now, changed_files(options, old_files, files));
  save_training_files(state_of(folder) / files_name, remembered(old_files, files));
  // Last, because the marks belong to the files named in the settings; see files_before.
  save_settings(file, now);
  return std::move(*lock);
}

}  // namespace heed
