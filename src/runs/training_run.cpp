#include "heed/runs/training_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/runs/machine_peak.h"
#include "heed/runs/mixed_text.h"
#include "heed/runs/scattered_folder.h"
#include "heed/runs/training_curves.h"
#include "heed/runs/training_folder.h"
#include "heed/training/frozen_model.h"
#include "heed/training/memory_plan.h"

namespace heed {

namespace {

constexpr int64_t validation_batch_tokens = 1024;

// "en-de" for "en-de", for "en-de/" and, inside that folder, for ".".
std::string name_of_folder(const std::filesystem::path& folder) {
  return (std::filesystem::absolute(folder) / "")
      .lexically_normal()
      .parent_path()
      .filename()
      .string();
}

// The folder of a rank that does not see that of rank 0 becomes a copy.
PreparedTraining prepare_on(Communicator& ranks, TrainingSettings& settings,
                            std::optional<ScatteredFolder>& scattered, const Announce& announce) {
  std::optional<PreparedTraining> prepared;
  if (ranks.is_first()) prepared = prepare_training(settings, announce);
  of_first(ranks, true);  // the others wait until all is there
  if (settings.scatter) {
    scattered.emplace(settings.folder, ranks);
    settings.folder = scattered->folder();
  }
  require(
      prepared || std::filesystem::exists(settings.folder / "training" / "train.pairs"),
      "{}: what rank 0 has prepared there cannot be seen by rank {}; a folder that all ranks see "
      "or --scatter was expected",
      settings.folder.string(), ranks.rank());
  return prepared ? std::move(*prepared) : open_prepared(settings);
}

// What learns of the model, if not all of it.
std::unique_ptr<PredictingModel> unfrozen(const TrainingSettings& settings,
                                          PredictingModel& whole) {
  if (settings.freeze.empty()) return nullptr;
  return std::make_unique<FrozenModel>(whole, settings.freeze);
}

// Gradients of adapters are small, so there may be more of them, and a worker has fewer tokens at
// once.
int shards_of(const TrainingSettings& settings) {
  return settings.trainer.shards * (settings.adapter > 0 ? 2 : 1);
}

BatchConfig batches_of(const TrainingSettings& settings, const PreparedTraining& prepared,
                       PredictingModel& learning) {
  TaughtModel& taught = *prepared.taught;
  BatchConfig config;
  config.tokens = settings.batch_tokens;
  if (settings.memory > 0) {
    MemoryPlan plan =
        plan_memory(learning, taught.made_up_batch(), shards_of(settings), prepared.learner);
    plan.fixed += 4 * (count_parameters(taught.model()) - count_parameters(learning));
    config.tokens = fitting_batch(plan, settings.memory, settings.batch_tokens);
  }
  config.shards = shards_of(settings);
  config.group_by_length = taught.groups_by_length();
  config.seed = settings.seed;
  config.mixed = prepared.mixed.get();
  config.mixed_share = mixed_text(settings).share;
  return config;
}

TrainerConfig trainer_of(const TrainingSettings& settings, const PreparedTraining& prepared) {
  constexpr int default_patience = 10;
  TrainerConfig config = settings.trainer;
  config.learner = prepared.learner;
  config.shards = shards_of(settings);
  const bool endless = config.steps == 0 && config.epochs == 0 && config.seconds == 0;
  // A little text is soon known by heart, whatever the budget.
  const bool adapts = settings.task == Task::translate && !settings.pretrained.empty();
  config.patience = settings.patience.value_or(adapts || endless ? default_patience : 0);
  return config;
}

}  // namespace

// Each part uses those before it.
struct TrainingRun::Parts {
  Parts(TrainingSettings wanted, TrainingCallbacks given, Communicator& others)
      : ranks(others),
        settings(std::move(wanted)),
        callbacks(std::move(given)),
        prepared(prepare_on(ranks, settings, scattered, callbacks.prepares)),
        unfrozen_part(unfrozen(settings, taught().model())),
        workers(settings.threads > 0 ? settings.threads : ranks.cores()),
        batches(*prepared.train, taught().training_examples(),
                batches_of(settings, prepared, learning())),
        validation(validation_batches(*prepared.valid, *taught().validation_examples(),
                                      validation_batch_tokens)),
        general(general_batches()),
        config(trainer_of(settings, prepared)),
        trainer({.model = learning(),
                 .batches = batches,
                 .validation = validation,
                 .workers = workers,
                 .save_best = [this](const std::filesystem::path& to) { taught().save(to); },
                 .ranks = ranks,
                 .general = general},
                config, settings.folder),
        summary(describe()) {
    if (ranks.is_first()) forget_watched_steps(settings.folder, trainer.progress().validated_at);
  }

  TaughtModel& taught() const { return *prepared.taught; }
  PredictingModel& learning() const { return unfrozen_part ? *unfrozen_part : taught().learning(); }

  std::vector<ValidationBatch> general_batches() const {
    if (!prepared.general) return {};
    return validation_batches(*prepared.general, *taught().validation_examples(),
                              validation_batch_tokens);
  }

  TrainingSummary describe() const {
    // The backward pass costs twice as much as the forward pass; two operations per multiplication.
    constexpr double per_multiplication = 6;
    PredictingModel& model = taught().model();
    return {.task = settings.task,
            .model = std::string(taught().name()),
            .parameters = count_parameters(model),
            .learning_parameters = count_parameters(learning()),
            .source_vocabulary = taught().source_vocabulary(),
            .target_vocabulary = taught().target_vocabulary(),
            .training_pairs = prepared.train->pairs(),
            .validation_pairs = prepared.valid->pairs(),
            .threads = workers.count(),
            .steps = trainer.learner().steps(),
            .resumed = trainer.resumed(),
            .operations_per_source_token =
                per_multiplication * static_cast<double>(model.source_multiplications()),
            .operations_per_target_token =
                per_multiplication * static_cast<double>(model.target_multiplications()),
            .trainer = config};
  }

  TrainerEvents events() {
    TrainerEvents events;
    events.step = callbacks.step;
    events.validated = [this](const Validation& found, const Progress& progress) {
      if (callbacks.validated) callbacks.validated(found, progress);
      draw_curves();
    };
    if (settings.valid_lines > 0) events.judge = [this] { return taught().judge(workers.count()); };
    if (settings.valid_lines > 0 && prepared.general)
      events.judge_general = [this] {
        return taught().judge_on(*prepared.general, workers.count());
      };
    if (taught().watches())
      events.watch = [this](int64_t step) {
        save_watched_step(settings.folder, taught().look(step, workers));
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
  std::optional<ScatteredFolder> scattered;
  PreparedTraining prepared;
  std::unique_ptr<PredictingModel> unfrozen_part;
  Workers workers;
  TrainingBatches batches;
  std::vector<ValidationBatch> validation, general;
  TrainerConfig config;
  Trainer trainer;
  TrainingSummary summary;
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
  return parts_->trainer.run(parts_->events());
}

double TrainingRun::peak_flops() { return heed::peak_flops(parts_->workers); }

TrainingEnd train(const TrainingSettings& settings, const TrainingCallbacks& callbacks) {
  return TrainingRun(settings, callbacks).train();
}

}  // namespace heed
