#include "heed/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/folder.h"
#include "heed/folders/model_folder.h"
#include "heed/kernels/arithmetic.h"
#include "heed/training/training_log.h"

namespace heed {

namespace {

// This many steps in a row without a finite loss are no accident.
constexpr int most_skipped_in_a_row = 20;
constexpr int64_t log_every = 50;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Trainer::Trainer(const TrainerInputs& inputs, const TrainerConfig& config,
                 std::filesystem::path folder)
    : in_(inputs),
      config_(config),
      folder_(std::move(folder)),
      learner_(inputs.model, config.learner, config.shards, inputs.workers, inputs.ranks) {
  require(config.accumulate >= 1, "training: {} batches per step but at least 1 was expected",
          config.accumulate);
  std::optional<Checkpoint> checkpoint;
  if (is_first()) {
    std::filesystem::create_directories(folder_ / "training");
    checkpoint = load_checkpoint(state_file());
  }
  const std::string text =
      text_of_first(in_.ranks, checkpoint ? to_json(checkpoint->progress) : "");
  resumed_ = !text.empty();
  if (resumed_) {
    learner_.restore(checkpoint ? checkpoint->learner : LearnerState());
    progress_ = checkpoint ? checkpoint->progress : parse_progress(text, "progress of rank 0");
  }
  in_.batches.seek(progress_.position);
  if (is_first()) cut_log(folder_, progress_.log_bytes);
}

TrainingEnd Trainer::run(const TrainerEvents& events) {
  if (progress_.finished && (budget_is_spent() || patience_is_spent())) {
    if (!progress_.best) give_up();
    return TrainingEnd::already_finished;
  }
  progress_.finished = false;
  // Both are checked before each step, even the first: the run may have been killed just before its
  // end.
  while (!budget_is_spent() && !patience_is_spent()) {
    do_step(events);
    const bool due = validation_is_due(std::exchange(epoch_ended_, false));
    if (due) validate(events);
    if (due || learner_.steps() % config_.save_every == 0) save();
    if (is_interrupted(events)) {
      save();
      return TrainingEnd::interrupted;
    }
  }
  const TrainingEnd end = patience_is_spent() ? TrainingEnd::patience : TrainingEnd::budget;
  finish(events);
  return end;
}

bool Trainer::is_interrupted(const TrainerEvents& events) const {
  return of_first(in_.ranks, is_first() && events.interrupted && events.interrupted());
}

void Trainer::do_step(const TrainerEvents& events) {
  const Stopwatch watch;
  std::vector<std::vector<Batch>> batches;
  for (int i = 0; i < config_.accumulate; ++i) {
    StepBatch batch = in_.batches.next();
    progress_.position = batch.after;
    if (batch.last_of_epoch) {
      ++progress_.epochs;
      epoch_ended_ = true;
    }
    batches.push_back(std::move(batch.shards));
  }
  const StepReport report = learner_.learn(batches);
  account_for(report, of_first(in_.ranks, watch.seconds()));
  if (report.step % log_every == 0 || report.skipped) log(report);
  if (is_first() && events.step) events.step(report, progress_);
  if (report.skipped &&
      (progress_.skipped_in_a_row >= most_skipped_in_a_row || !learner_.is_finite()))
    give_up();
}

void Trainer::account_for(const StepReport& report, double seconds) {
  progress_.seconds += seconds;
  progress_.source_tokens += report.source_tokens;
  progress_.target_tokens += report.target_tokens;
  progress_.skipped += report.skipped;
  progress_.skipped_in_a_row = report.skipped ? progress_.skipped_in_a_row + 1 : 0;
  if (report.skipped) return;
  const double tokens = static_cast<double>(report.target_tokens);
  progress_.loss_sum += report.loss * tokens;
  progress_.likelihood_sum += report.negative_likelihood * tokens;
  progress_.loss_tokens += report.target_tokens;
}

bool Trainer::validation_is_due(bool epoch_ended) const {
  return config_.validate_every > 0 ? learner_.steps() % config_.validate_every == 0 : epoch_ended;
}

bool Trainer::budget_is_spent() const {
  return (config_.steps > 0 && learner_.steps() >= config_.steps) ||
         (config_.epochs > 0 && progress_.epochs >= config_.epochs) ||
         (config_.seconds > 0 && progress_.seconds >= config_.seconds);
}

bool Trainer::patience_is_spent() const {
  return config_.patience > 0 && progress_.stale >= config_.patience;
}

bool Trainer::is_better(double value) const {
  if (!std::isfinite(value)) return false;
  if (!progress_.best) return true;
  return higher_is_better(config_.criterion) ? value > *progress_.best : value < *progress_.best;
}

Validation Trainer::measure(const TrainerEvents& events) {
  const Stopwatch watch;
  Validation validation = {.step = learner_.steps(), .epoch = progress_.epochs, .outputs = {}};
  validation.cross_entropy = cross_entropy_of(in_.model, in_.validation, in_.workers, in_.ranks);
  if (!in_.general.empty())
    validation.general = {cross_entropy_of(in_.model, in_.general, in_.workers, in_.ranks)};
  // Weights that no validation sentence uses must be finite, too.
  validation.finite = std::isfinite(validation.cross_entropy) && learner_.is_finite();
  if (is_first()) judge(validation, events);
  progress_.best = of_first(in_.ranks, progress_.best);
  progress_.best_step = of_first(in_.ranks, progress_.best_step);
  validation.best = of_first(in_.ranks, validation.best);
  validation.seconds = watch.seconds();
  return validation;
}

void Trainer::judge(Validation& validation, const TrainerEvents& events) {
  if (validation.finite && events.judge) validation.outputs = events.judge();
  if (validation.finite && validation.general && events.judge_general)
    validation.general->outputs = events.judge_general();
  validation.best = validation.finite && is_better(validation.value(config_.criterion));
  if (!validation.best) return;
  progress_.best = validation.value(config_.criterion);
  progress_.best_step = learner_.steps();
  if (in_.save_best) return in_.save_best(folder_);
  save_weights(folder_, learner_.parameters().parts(), WeightStorage::float32, {});
}

void Trainer::validate(const TrainerEvents& events) {
  Validation validation;
  {
    const Learner::EmaWeights ema_weights(learner_);
    validation = measure(events);
    if (is_first() && validation.finite && events.watch) events.watch(learner_.steps());
    if (config_.average_last > 1 && validation.finite) keep_snapshot();
  }
  validation_was_finite_ = validation.finite;
  progress_.stale = validation.best ? 0 : progress_.stale + 1;
  progress_.validated_at = learner_.steps();
  log(validation);
  if (is_first() && events.validated) events.validated(validation, progress_);
  progress_.loss_sum = progress_.likelihood_sum = 0;
  progress_.loss_tokens = 0;
}

std::filesystem::path Trainer::snapshot_file(int64_t step) const {
  return folder_ / "training" / fmt::format("snapshot-{}.safetensors", step);
}

void Trainer::keep_snapshot() {
  if (is_first()) save_snapshot(snapshot_file(learner_.steps()), learner_.parameters().array());
  progress_.snapshots.push_back(learner_.steps());
}

void Trainer::finish(const TrainerEvents& events) {
  if (progress_.validated_at != learner_.steps()) validate(events);
  if (!validation_was_finite_ || !progress_.best) give_up();
  average_snapshots(events);
  progress_.finished = true;
  save();
}

void Trainer::give_up() const {
  const int64_t step = learner_.steps() - std::max(0, progress_.skipped_in_a_row - 1);
  const std::string left =
      progress_.best ? fmt::format("the best model, from step {}, is kept", progress_.best_step)
                     : "there is no model yet";
  fail(
      "training: diverged at step {}: the loss is no longer finite; {}; a lower learning rate or a "
      "longer warm-up may help",
      step, left);
}

// Checkpoints are for continuing, so none is made of a state that cannot be trained further.
bool Trainer::is_worth_saving() const {
  const bool just_validated = progress_.validated_at == learner_.steps();
  return (just_validated ? validation_was_finite_ : progress_.skipped_in_a_row == 0) &&
         learner_.is_finite();
}

// The mean of the last weights is often better than any of them. It is validated, too, and kept
// only if it is better.
void Trainer::average_snapshots(const TrainerEvents& events) {
  // The last validation may have added one snapshot too many.
  const size_t count = std::min(progress_.snapshots.size(), wanted_snapshots());
  if (count < 2) return;
  const Learner::Restored restored(learner_);
  if (is_first()) load_mean(std::span(progress_.snapshots).last(count));
  in_.ranks.broadcast(0, std::as_writable_bytes(learner_.weights()));
  const Validation validation = measure(events);
  log(validation);
  if (is_first() && events.validated) events.validated(validation, progress_);
}

void Trainer::load_mean(std::span<const int64_t> steps) {
  const std::span<float> weights = learner_.weights();
  std::ranges::fill(weights, 0.0f);
  const float share = 1.0f / static_cast<float>(steps.size());
  for (const int64_t step : steps) {
    const Tensor snapshot = load_snapshot(snapshot_file(step));
    require(snapshot.elements() == static_cast<int64_t>(weights.size()),
            "{}: weights of another model", snapshot_file(step).string());
    kernels::add_scaled(share, snapshot.span<float>(), weights);
  }
}

void Trainer::save() {
  if (!is_worth_saving()) return;
  while (progress_.snapshots.size() > wanted_snapshots())
    progress_.snapshots.erase(progress_.snapshots.begin());
  save_checkpoint(state_file(), learner_.state(), progress_, in_.ranks);
  // Snapshots go last: a run that is killed before the checkpoint is complete still needs them.
  if (is_first()) remove_old_snapshots();
}

// Also those that a run left behind which was killed here.
void Trainer::remove_old_snapshots() const {
  std::set<std::filesystem::path> kept, old;
  for (const int64_t step : progress_.snapshots) kept.insert(snapshot_file(step));
  const std::filesystem::path folder = folder_ / "training";
  std::error_code reason;
  FolderNames names(folder, reason);
  require(!reason, ErrorKind::system, "{}: cannot be read: {}", folder.string(), reason.message());
  while (const char* name = names.next())
    if (std::string_view(name).starts_with("snapshot-") && !kept.contains(folder / name))
      old.insert(folder / name);
  for (const std::filesystem::path& file : old) std::filesystem::remove(file);
}

template <typename Report>
void Trainer::log(const Report& report) {
  if (is_first()) progress_.log_bytes = append_to_log(folder_, log_line(report, progress_));
}

}  // namespace heed
