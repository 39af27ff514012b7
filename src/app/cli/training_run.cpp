#include "heed/app/cli/training_run.h"

#include <sys/resource.h>

#include <thread>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/train_presets.h"
#include "heed/app/cli/training_display.h"
#include "heed/app/cli/training_folder.h"
#include "heed/app/cli/training_history.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/decoding/translator.h"
#include "heed/kernels/peak.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/models/model_folder.h"
#include "heed/training/memory_plan.h"

namespace heed {

namespace {

// Translates the first sentences of the validation corpus and compares them with their references.
class TranslationJudge {
 public:
  TranslationJudge(const TrainOptions& options, const PreparedTraining& prepared, int threads)
      : options_(options), prepared_(prepared), threads_(threads) {
    for (int64_t chunk = 0; chunk < prepared.valid->chunks(); ++chunk)
      for (const PairView& pair : prepared.valid->read(chunk).pairs) {
        if (static_cast<int>(sources_.size()) == options.valid_lines) return;
        sources_.emplace_back(pair.source);
        references_.emplace_back(pair.target);
      }
  }

  TranslationScores operator()(const Model& model) const {
    const Translator translator(model.prepare(Precision::float32), prepared_.source,
                                prepared_.target,
                                {.threads = threads_, .lengths = prepared_.lengths});
    const std::vector<std::string> translations =
        translator.translate(sources_, {.beam = options_.valid_beam});
    const Tokeniser tokeniser = options_.vocabulary.tokenised ? Tokeniser::none : Tokeniser::v13a;
    TranslationScores scores = {
        corpus_score(Bleu({.tokeniser = tokeniser}), translations, references_),
        corpus_score(Chrf(), translations, references_),
        {}};
    for (size_t i = 0; i < std::min(static_cast<size_t>(options_.samples), sources_.size()); ++i)
      scores.samples.push_back({sources_[i], references_[i], translations[i]});
    return scores;
  }

 private:
  const TrainOptions& options_;
  const PreparedTraining& prepared_;
  int threads_;
  std::vector<std::string> sources_, references_;
};

size_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) << 10;
}

TrainingCost cost_of(const Model& model, Workers& workers) {
  // The backward pass costs twice as much as the forward pass; two operations per multiplication.
  return {.per_source_token = 6.0 * static_cast<double>(model.source_multiplications()),
          .per_target_token = 6.0 * static_cast<double>(model.target_multiplications()),
          .peak = kernels::peak_flops(workers)};
}

// "en-de" for "en-de", for "en-de/" and, inside that folder, for ".".
std::string name_of_folder(const std::filesystem::path& folder) {
  return (std::filesystem::absolute(folder) / "")
      .lexically_normal()
      .parent_path()
      .filename()
      .string();
}

BatchConfig batches_of(const TrainOptions& options, const PreparedTraining& prepared,
                       Model& model) {
  BatchConfig config;
  config.tokens = options.batch_tokens;
  if (options.memory > 0) {
    const MemoryPlan plan = plan_memory(model, prepared.source.size(), prepared.target.size(),
                                        options.trainer.shards, prepared.learner);
    config.tokens = fitting_batch(plan, options.memory, options.batch_tokens);
  }
  config.shards = options.trainer.shards;
  config.max_length = options.max_length;
  config.source_sampling = config.target_sampling = options.sampling;
  config.seed = options.trainer.learner.seed;
  return config;
}

}  // namespace

TrainingEnd run_training(const TrainOptions& options, const Console& console) {
  const auto announce = [&](const std::string& sentence) { console.err << sentence << std::endl; };
  const PreparedTraining prepared = prepare_training(options, announce);
  Workers workers(options.threads > 0 ? options.threads : core_count());
  Rng rng(derive_key(make_key(prepared.learner.seed), 1));
  const std::unique_ptr<Model> model = make_model(prepared.model, rng);

  TrainingBatches batches(*prepared.train, prepared.source, prepared.target,
                          batches_of(options, prepared, *model));
  const std::vector<ValidationBatch> validation = validation_batches(
      *prepared.valid, prepared.source, prepared.target, 1024, options.max_length);
  TrainerConfig config = options.trainer;
  config.learner = prepared.learner;
  Trainer trainer(
      {.model = *model,
       .batches = batches,
       .validation = validation,
       .workers = workers,
       .seal = seal_of(prepared.model, prepared.source, prepared.target, prepared.lengths)},
      config, options.folder);

  TrainingDisplay display(console, config, cost_of(*model, workers));
  display.announce(fmt::format(
      "{} with {} parameters, vocabularies of {} and {}; {} pairs for training, {} for validation; "
      "{} thread{}{}",
      name_of(prepared.model), count_parameters(*model), prepared.source.size(),
      prepared.target.size(), prepared.train->pairs(), prepared.valid->pairs(), workers.count(),
      workers.count() == 1 ? "" : "s",
      trainer.resumed() ? fmt::format("; continuing at step {}", trainer.learner().steps()) : ""));
  TrainerEvents events;
  const TranslationJudge judge(options, prepared, workers.count());
  events.step = [&](const StepReport& report, const Progress& progress) {
    display.step(report, progress);
  };
  events.validated = [&](const Validation& v, const Progress& progress) {
    display.saw_peak(kernels::peak_flops(workers));
    display.validated(v, progress);
    write_file_atomically(
        options.folder / "curves.svg",
        draw_history(read_history(options.folder), name_of_folder(options.folder)));
  };
  if (options.valid_lines > 0) events.translate = [&] { return judge(*model); };
  events.interrupted = interruption_is_wanted;
  const InterruptsAsked polite;
  const TrainingEnd end = trainer.run(events);
  display.ended(end, trainer.progress(), peak_memory());
  return end;
}

}  // namespace heed
