#include "heed/app/cli/shown_training.h"

#include <sys/resource.h>

#include <optional>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/training_display.h"

namespace heed {

namespace {

size_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) << 10;
}

std::string words_of(const TrainingSummary& run) {
  if (run.task == Task::classify)
    return fmt::format("{} word pieces, {} labels", run.source_vocabulary, run.target_vocabulary);
  if (run.source_vocabulary == 0 || run.task == Task::masked)
    return fmt::format("a vocabulary of {}", run.target_vocabulary);
  return fmt::format("vocabularies of {} and {}", run.source_vocabulary, run.target_vocabulary);
}

const char* entries_of(Task task) {
  switch (task) {
    case Task::translate:
      return "pairs";
    case Task::language:
    case Task::masked:
      return "parts of text";
    case Task::classify:
      return "texts";
  }
  __builtin_unreachable();
}

std::string sentence_of(const TrainingSummary& run, int ranks) {
  return fmt::format(
      "{} with {} parameters{}, {}; {} {} for training, {} for validation; {}{} thread{}{}",
      run.model, run.parameters,
      run.learning_parameters == run.parameters
          ? ""
          : fmt::format(", of which {} learn", run.learning_parameters),
      words_of(run), run.training_pairs, entries_of(run.task), run.validation_pairs,
      ranks == 1 ? "" : fmt::format("{} ranks, the first with ", ranks), run.threads,
      run.threads == 1 ? "" : "s",
      run.resumed ? fmt::format("; continuing at step {}", run.steps) : "");
}

}  // namespace

TrainingEnd show_training(const TrainingSettings& settings, const Console& console,
                          Communicator& ranks) {
  std::optional<TrainingDisplay> display;
  TrainingRun* running = nullptr;
  // The other ranks are taken to be like this one.
  const auto peak_of_all = [&] { return running->peak_flops() * ranks.size(); };
  TrainingCallbacks callbacks;
  callbacks.prepares = [&](const std::string& sentence) { console.err << sentence << std::endl; };
  callbacks.step = [&](const StepReport& report, const Progress& progress) {
    display->step(report, progress);
  };
  callbacks.validated = [&](const Validation& validation, const Progress& progress) {
    display->saw_peak(peak_of_all());
    display->validated(validation, progress);
  };
  callbacks.interrupted = interruption_is_wanted;
  TrainingRun run(settings, callbacks, ranks);
  running = &run;
  display.emplace(console, run.summary().trainer,
                  TrainingCost{.per_source_token = run.summary().operations_per_source_token,
                               .per_target_token = run.summary().operations_per_target_token,
                               .peak = peak_of_all()});
  display->announce(sentence_of(run.summary(), ranks.size()));
  const InterruptsAsked polite;
  const TrainingEnd end = run.train();
  display->ended(end, run.progress(), peak_memory());
  return end;
}

TrainingEnd join_training(const TrainingSettings& settings, Communicator& ranks) {
  TrainingRun run(settings, {}, ranks);
  // A signal may come to all ranks; the first decides.
  const InterruptsAsked polite;
  return run.train();
}

}  // namespace heed
