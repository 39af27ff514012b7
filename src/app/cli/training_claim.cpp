#include "heed/app/cli/training_claim.h"

#include <algorithm>
#include <array>

#include "heed/app/cli/field_text.h"
#include "heed/app/cli/train_presets.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/data/corpus_store.h"
#include "heed/models/model_folder.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// Names of files may be any bytes.
std::string joined(const std::vector<std::string>& names) {
  return printable(fmt::format("{}", fmt::join(names, " ")));
}

// The settings that decide what a run ends with. Threads and budgets do not.
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
                       {"longest", fmt::format("{}", o.longest)},
                       {"shards", fmt::format("{}", o.trainer.shards)},
                       {"accumulate", fmt::format("{}", o.trainer.accumulate)},
                       {"validate-every", fmt::format("{}", o.trainer.validate_every)},
                       {"criterion", std::string(name_of(o.trainer.criterion))},
                       {"average-last", fmt::format("{}", o.trainer.average_last)},
                       {"valid-beam", fmt::format("{}", o.valid_beam)},
                       {"valid-lines", fmt::format("{}", o.valid_lines)},
                       {"seed", fmt::format("{}", o.trainer.learner.seed)}};
  for (const auto& [name, value] : {std::pair{"format", &o.format}, {"from", &o.from}, {"to", &o.to}})
    if (!value->empty()) settings[name] = printable(*value);
  settings.insert(o.model.begin(), o.model.end());
  settings.insert(o.learning.begin(), o.learning.end());
  // The budget decides where the learning rate is zero, unless something else does.
  const auto schedule = o.learning.find("schedule");
  if (schedule != o.learning.end() && (schedule->second == "cosine" || schedule->second == "linear"))
    settings.emplace("decay-steps", fmt::format("{}", o.trainer.steps));
  return settings;
}

constexpr std::array corpus_settings = {"train", "valid", "format", "from", "to"};
// The weights belong to the words.
constexpr std::array vocabulary_settings = {"vocabulary", "vocabulary-kind", "separate-vocabularies",
                                            "vocabulary-files", "tokenised"};

template <size_t size>
Settings only(const Settings& settings, const std::array<const char*, size>& names) {
  Settings kept;
  for (const char* name : names)
    if (const auto found = settings.find(name); found != settings.end()) kept.insert(*found);
  return kept;
}

fs::path state_of(const fs::path& folder) { return folder / "training"; }

void discard_corpora(const fs::path& folder) {
  for (const char* name : {"all.pairs", "train.pairs", "valid.pairs"}) fs::remove(state_of(folder) / name);
}

// All that a run leaves before its first checkpoint.
void discard_preparation(const fs::path& folder) {
  discard_corpora(folder);
  for (const char* name : {"config.json", "source.spm", "target.spm", "vocab.json", "target_vocab.json",
                           "model.safetensors", "training.jsonl", "curves.svg"})
    fs::remove(folder / name);
}

// Nothing is there but what a run leaves that was killed before it had written its settings.
bool is_unclaimed(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return true;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name != "training" && name != "lock" && !is_partial_file(entry.path())) return false;
  }
  require(!error, "{}: cannot be read: {}", folder.string(), error.message());
  return true;
}

int64_t pairs_in(const fs::path& corpus) { return fs::exists(corpus) ? CorpusStore(corpus).pairs() : 0; }

std::vector<Shape> shapes_of(const ModelConfig& config) {
  Rng rng(0);
  std::vector<Shape> shapes;
  make_model(config, rng)->visit_parameters({}, [&](const std::string&, Tensor& value) {
    shapes.push_back(value.shape());
  });
  return shapes;
}

// Some settings of a model, such as its dropout, can change while it learns.
void change_model(const TrainOptions& options) {
  const fs::path description = options.folder / "config.json";
  const ModelConfig before = load_model_config(description);
  ModelConfig now = chosen_preset(options, pairs_in(state_of(options.folder) / "train.pairs")).model;
  set_vocabularies(now, source_vocabulary(before), target_vocabulary(before));
  if (now == before) return;
  require(now.index() == before.index() && shapes_of(now) == shapes_of(before),
          "{}: the weights of the run do not fit the new settings of the model; a new run needs an empty "
          "folder",
          options.folder.string());
  write_file_atomically(description, to_json(now, load_trained_lengths(description)));
}

void accept_changes(const TrainOptions& options, const Settings& before, const Settings& now) {
  const std::vector<std::string> changed = changed_settings(before, now);
  if (changed.empty()) return;
  const bool begun = fs::exists(state_of(options.folder) / "state.safetensors");
  if (!begun) return discard_preparation(options.folder);
  require(options.change_settings,
          "{}: the run was begun with other settings: {}; --override goes on with the new ones",
          options.folder.string(), fmt::join(changed, ", "));
  const auto words = changed_settings(only(before, vocabulary_settings), only(now, vocabulary_settings));
  require(words.empty(), "{}: the words of a run cannot change: {}; a new run needs an empty folder",
          options.folder.string(), fmt::join(words, ", "));
  change_model(options);
  if (only(before, corpus_settings) != only(now, corpus_settings)) discard_corpora(options.folder);
}

}  // namespace

LockFile claim_folder(const TrainOptions& options) {
  const fs::path& folder = options.folder;
  const fs::path file = state_of(folder) / "settings.json";
  std::error_code error;
  require(fs::exists(file, error) || is_unclaimed(folder),
          "{}: not an empty folder, and not one of a run that could go on", folder.string());
  fs::create_directories(state_of(folder), error);
  require(!error, "{}: cannot be made: {}", folder.string(), error.message());
  std::optional<LockFile> lock = LockFile::hold(state_of(folder) / "lock");
  require(lock.has_value(), "{}: another program trains in this folder", folder.string());
  remove_partial_files(folder);
  remove_partial_files(state_of(folder));
  const Settings now = settings_of(options);
  if (fs::exists(file)) accept_changes(options, load_settings(file), now);
  save_settings(file, now);
  return std::move(*lock);
}

}  // namespace heed
