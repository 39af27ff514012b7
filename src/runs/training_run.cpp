#include "heed/runs/training_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "heed/base/files.h"
#include "heed/folders/model_folder.h"
#include "heed/runs/attention_watch.h"
#include "heed/runs/machine_peak.h"
#include "heed/runs/training_curves.h"
#include "heed/runs/training_folder.h"
#include "heed/runs/translation_judge.h"
#include "heed/training/memory_plan.h"

namespace heed {

namespace {

constexpr int64_t validation_batch_tokens = 1024;
// What is kept of a sentence grows with the square of its length.
constexpr int64_t longest_watched = 1024;

// "en-de" for "en-de", for "en-de/" and, inside that folder, for ".".
std::string name_of_folder(const std::filesystem::path& folder) {
  return (std::filesystem::absolute(folder) / "")
      .lexically_normal()
      .parent_path()
      .filename()
      .string();
}

std::unique_ptr<Model> new_model(const PreparedTraining& prepared) {
  Rng rng(derive_key(make_key(prepared.learner.seed), 1));
  return make_model(prepared.model, rng);
}

PreparedTraining prepare_on(Communicator& ranks, const TrainingSettings& settings,
                            const Announce& announce) {
  std::optional<PreparedTraining> prepared;
  if (ranks.is_first()) prepared = prepare_training(settings, announce);
  of_first(ranks, true);  // the others wait until all is there
  return prepared ? std::move(*prepared) : open_prepared(settings);
}

BatchConfig batches_of(const TrainingSettings& settings, const PreparedTraining& prepared,
                       Model& model) {
  BatchConfig config;
  config.tokens = settings.batch_tokens;
  if (settings.memory > 0) {
    const MemoryPlan plan = plan_memory(model, prepared.source.size(), prepared.target.size(),
                                        settings.trainer.shards, prepared.learner);
    config.tokens = fitting_batch(plan, settings.memory, settings.batch_tokens);
  }
  config.shards = settings.trainer.shards;
  config.seed = settings.seed;
  return config;
}

TrainerConfig trainer_of(const TrainingSettings& settings, const PreparedTraining& prepared) {
  constexpr int default_patience = 10;
  TrainerConfig config = settings.trainer;
  config.learner = prepared.learner;
  const bool endless = config.steps == 0 && config.epochs == 0 && config.seconds == 0;
  config.patience = settings.patience.value_or(endless ? default_patience : 0);
  return config;
}

JudgeOptions judging(const TrainingSettings& settings, const PreparedTraining& prepared,
                     int threads) {
  return {.lines = settings.valid_lines,
          .beam = settings.valid_beam,
          .samples = settings.samples,
          .tokenised = settings.vocabulary.tokenised,
          .threads = threads,
          .lengths = prepared.lengths};
}

WatchOptions watching(const TrainingSettings& settings, const PreparedTraining& prepared) {
  return {.beam = settings.valid_beam,
          .max_length = std::min(settings.max_length, longest_watched),
          .lengths = prepared.lengths};
}

}  // namespace

// Each part uses those before it.
struct TrainingRun::Parts {
  Parts(TrainingSettings wanted, TrainingCallbacks given, Communicator& others)
      : ranks(others),
        settings(std::move(wanted)),
        callbacks(std::move(given)),
        watched(watched_sentences(settings)),
        prepared(prepare_on(ranks, settings, callbacks.prepares)),
        workers(settings.threads > 0 ? settings.threads : ranks.cores()),
        model(new_model(prepared)),
        batches(*prepared.train,
                std::make_shared<PairExamples>(
                    prepared.source, prepared.target,
                    PairExamplesConfig{settings.max_length, settings.sampling, settings.sampling}),
                batches_of(settings, prepared, *model)),
        validation(validation_batches(
            *prepared.valid,
            PairExamples(prepared.source, prepared.target, {.max_length = settings.max_length}),
            validation_batch_tokens)),
        config(trainer_of(settings, prepared)),
        trainer(
            {.model = *model,
             .batches = batches,
             .validation = validation,
             .workers = workers,
             .seal = seal_of(prepared.model, prepared.source, prepared.target, prepared.lengths),
             .ranks = ranks},
            config, settings.folder),
        summary(describe()) {
    if (!watched.empty())
      watch.emplace(watched, *prepared.valid, prepared.source, prepared.target, *model,
                    watching(settings, prepared));
    if (ranks.is_first()) forget_watched_steps(settings.folder, trainer.progress().validated_at);
  }

  TrainingSummary describe() const {
    // The backward pass costs twice as much as the forward pass; two operations per multiplication.
    constexpr double per_multiplication = 6;
    return {.model = std::string(name_of(prepared.model)),
            .parameters = count_parameters(*model),
            .source_vocabulary = prepared.source.size(),
            .target_vocabulary = prepared.target.size(),
            .training_pairs = prepared.train->pairs(),
            .validation_pairs = prepared.valid->pairs(),
            .threads = workers.count(),
            .steps = trainer.learner().steps(),
            .resumed = trainer.resumed(),
            .operations_per_source_token =
                per_multiplication * static_cast<double>(model->source_multiplications()),
            .operations_per_target_token =
                per_multiplication * static_cast<double>(model->target_multiplications()),
            .trainer = config};
  }

  TrainerEvents events(const TranslationJudge& judge) {
    TrainerEvents events;
    events.step = callbacks.step;
    events.validated = [this](const Validation& found, const Progress& progress) {
      if (callbacks.validated) callbacks.validated(found, progress);
      draw_curves();
    };
    if (settings.valid_lines > 0) events.translate = [this, &judge] { return judge(*model); };
    if (watch)
      events.watch = [this](int64_t step) {
        save_watched_step(settings.folder, watch->look(*model, step, workers));
      };
    events.interrupted = callbacks.interrupted;
    return events;
  }

  void draw_curves() const {
    write_file_atomically(
        settings.folder / "curves.svg",
        draw_history(read_history(settings.folder), name_of_folder(settings.folder)));
  }

  Communicator& ranks;
  TrainingSettings settings;
  TrainingCallbacks callbacks;
  std::vector<WatchedSentence> watched;
  PreparedTraining prepared;
  Workers workers;
  std::unique_ptr<Model> model;
  TrainingBatches batches;
  std::vector<ValidationBatch> validation;
  TrainerConfig config;
  Trainer trainer;
  TrainingSummary summary;
  std::optional<AttentionWatch> watch;
};

TrainingRun::TrainingRun(TrainingSettings settings, TrainingCallbacks callbacks,
                         Communicator& ranks)
    : parts_(std::make_unique<Parts>(std::move(settings), std::move(callbacks), ranks)) {}

TrainingRun::~TrainingRun() = default;
TrainingRun::TrainingRun(TrainingRun&&) noexcept = default;
TrainingRun& TrainingRun::operator=(TrainingRun&&) noexcept = default;

const TrainingSummary& TrainingRun::summary() const { return parts_->summary; }

const Progress& TrainingRun::progress() const { return parts_->trainer.progress(); }

TrainingEnd TrainingRun::train() {
  if (parts_->ranks.is_first() && parts_->callbacks.begins)
    parts_->callbacks.begins(parts_->summary);
  const TranslationJudge judge(
      *parts_->prepared.valid, parts_->prepared.source, parts_->prepared.target,
      judging(parts_->settings, parts_->prepared, parts_->workers.count()));
  return parts_->trainer.run(parts_->events(judge));
}

double TrainingRun::peak_flops() { return heed::peak_flops(parts_->workers); }

TrainingEnd train(const TrainingSettings& settings, const TrainingCallbacks& callbacks) {
  return TrainingRun(settings, callbacks).train();
}

}  // namespace heed
