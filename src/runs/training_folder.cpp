#include "heed/runs/training_folder.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/runs/mixed_text.h"
#include "heed/runs/training_claim.h"
#include "heed/runs/watched_sentence.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

fs::path train_corpus(const TrainingSettings& settings) {
  return settings.folder / "training" / "train.pairs";
}

constexpr const char *general_corpus = "general.pairs", *mixed_corpus = "mixed.pairs";

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, " "));
}

void write_corpus(const TrainingTask& task, const TextFiles& text, const fs::path& to,
                  const Announce& announce) {
  if (fs::exists(to)) return;
  announce(fmt::format("reading {}", joined(text.files)));
  announce(task.read(text, to));
}

// Holds out some entries, chosen by their position alone, for validation.
void split_corpus(const TrainingSettings& settings, const TrainingTask& task, const fs::path& all,
                  const fs::path& train, const fs::path& valid) {
  if (fs::exists(train)) return;
  const CorpusStore store(all);
  const int64_t wanted = std::min(settings.held_out, std::max<int64_t>(1, store.pairs() / 20));
  require(store.pairs() >= 2, "{}: {} is not enough for training and validation",
          joined(settings.train),
          settings.task == Task::translate ? "one sentence pair" : "one short text");
  task.check_corpus(store, nullptr);
  const TrainingTask::HoldingOut may_hold_out = task.holding_out(store);
  CorpusWriter train_writer(train), valid_writer(valid);
  const RandomKey key = derive_key(make_key(settings.seed), 0x76616c6964);
  int64_t index = 0, taken = 0;
  for (int64_t chunk = 0; chunk < store.chunks(); ++chunk) {
    const CorpusChunk pairs = store.read(chunk);
    for (const PairView& pair : pairs.pairs) {
      // All remaining entries are equally likely to be taken.
      const double left = static_cast<double>(store.pairs() - index),
                   missing = static_cast<double>(wanted - taken);
      const bool chosen =
          Rng(derive_key(key, static_cast<uint64_t>(index++))).uniform() * left < missing;
      const bool take = chosen && may_hold_out(pair);
      taken += take;
      (take ? valid_writer : train_writer).add(pair);
    }
  }
  valid_writer.commit();
  train_writer.commit();
}

void prepare_corpora(const TrainingSettings& settings, const TrainingTask& task,
                     const Announce& announce) {
  const fs::path folder = settings.folder / "training";
  const fs::path train = folder / "train.pairs", valid = folder / "valid.pairs",
                 all = folder / "all.pairs";
  const TextFiles training = {
      settings.train,
      {.links = settings.guide, .weights = settings.weights, .tags = settings.tags}};
  if (!settings.general.empty())
    write_corpus(task, {settings.general}, folder / general_corpus, announce);
  if (!settings.mix.empty())
    write_corpus(task, {mixed_text(settings).files}, folder / mixed_corpus, announce);
  if (!settings.valid.empty()) {
    // The small one first, so that its errors show up before the large one is read.
    write_corpus(task, {settings.valid, {.tags = settings.valid_tags}}, valid, announce);
    write_corpus(task, training, train, announce);
    const CorpusStore held_out(valid);
    return task.check_corpus(CorpusStore(train), &held_out);
  }
  if (!fs::exists(train)) write_corpus(task, training, all, announce);
  split_corpus(settings, task, all, train, valid);
  fs::remove(all);
}

}  // namespace

PreparedTraining prepare_training(const TrainingSettings& settings, const Announce& announce) {
  const Announce tell = announce ? announce : [](const std::string&) {};
  require(!settings.train.empty(), ErrorKind::usage, "train: files to learn from were expected");
  require(!settings.folder.empty(), ErrorKind::usage, "train: a folder for the model was expected");
  refuse_impossible_settings(settings);
  watched_sentences(settings);  // an Error before anything is made
  const std::unique_ptr<TrainingTask> task = task_of(settings);
  task->check_files();
  LockFile lock = claim_folder(settings);
  prepare_corpora(settings, *task, tell);
  const CorpusStore train(train_corpus(settings));
  // The description is written last, so if it exists, it is complete.
  if (!fs::exists(settings.folder / "config.json")) task->describe_model(train, tell);
  task->describe_corpus(train);
  PreparedTraining prepared = open_prepared(settings);
  prepared.lock = std::move(lock);
  return prepared;
}

PreparedTraining open_prepared(const TrainingSettings& settings) {
  const std::unique_ptr<TrainingTask> task = task_of(settings);
  auto train = std::make_unique<CorpusStore>(train_corpus(settings));
  auto valid = std::make_unique<CorpusStore>(settings.folder / "training" / "valid.pairs");
  const LearnerConfig learner = task->learner(size_of(*train));
  std::unique_ptr<TaughtModel> taught = task->open(*valid);
  const auto other = [&](const std::vector<std::string>& files, const char* name) {
    return files.empty() ? nullptr
                         : std::make_unique<CorpusStore>(settings.folder / "training" / name);
  };
  return {.lock = {},
          .train = std::move(train),
          .valid = std::move(valid),
          .mixed = other(settings.mix, mixed_corpus),
          .general = other(settings.general, general_corpus),
          .learner = learner,
          .taught = std::move(taught)};
}

}  // namespace heed
