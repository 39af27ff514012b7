#include "heed/training/learner.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/kernels/adam.h"
#include "heed/training/flat_blocks.h"

namespace heed {

namespace {

uint64_t dropout_seed(uint64_t seed, int64_t step, size_t turn, size_t shard) {
  RandomKey key = make_key(seed);
  for (const uint64_t part :
       {static_cast<uint64_t>(step), static_cast<uint64_t>(turn), static_cast<uint64_t>(shard)})
    key = derive_key(key, part);
  return (static_cast<uint64_t>(key.high) << 32) | key.low;
}

int64_t target_tokens(std::span<const std::vector<Batch>> batches) {
  int64_t tokens = 0;
  for (const std::vector<Batch>& shards : batches)
    for (const Batch& shard : shards) tokens += shard.target.layout.tokens();
  return tokens;
}

int64_t source_tokens(std::span<const std::vector<Batch>> batches) {
  int64_t tokens = 0;
  for (const std::vector<Batch>& shards : batches)
    for (const Batch& shard : shards) tokens += shard.source.layout.tokens();
  return tokens;
}

bool all_finite(const Tensor& numbers) {
  bool finite = true;
  for (const float number : numbers.span<float>()) finite &= std::isfinite(number);
  return finite;
}

const LearnerConfig& checked(const LearnerConfig& config) {
  check(config);
  return config;
}

}  // namespace

void check(const LearnerConfig& config) {
  check(config.schedule);
  const auto require_share = [](const char* name, double value) {
    require(value >= 0 && value < 1, "learner: {} of {} but 0 <= {} < 1 was expected", name, value,
            name);
  };
  require_share("beta1", config.beta1);
  require_share("beta2", config.beta2);
  require_share("label smoothing", config.label_smoothing);
  require_share("ema", config.ema);
  const auto require_amount = [](const char* name, double value) {
    require(std::isfinite(value) && value >= 0, "learner: {} of {} but at least 0 was expected",
            name, value);
  };
  require_amount("clip norm", config.clip_norm);
  require_amount("weight decay", config.weight_decay);
  require_amount("R-Drop", config.r_drop);
  require(config.r_drop_after >= 0, "learner: R-Drop after {} steps but at least 0 was expected",
          config.r_drop_after);
  require(std::isfinite(config.epsilon) && config.epsilon > 0,
          "learner: epsilon of {} but a positive number was expected", config.epsilon);
}

Learner::Learner(PredictingModel& model, const LearnerConfig& config, int shards, Workers& workers,
                 Communicator& ranks)
    : model_(model),
      config_(checked(config)),
      shards_(shards),
      workers_(workers),
      ranks_(ranks),
      parameters_(model),
      owned_(owned_numbers(parameters_.size(), ranks)),
      sum_(parameters_.size(), shards, workers, ranks) {
  state_.weights = parameters_.array();
  state_.first_moment = Tensor::zeros({owned_.size()});
  state_.second_moment = Tensor::zeros({owned_.size()});
  if (config.ema > 0) state_.ema = state_.weights.slice(owned_.begin, owned_.end).clone();
  for (int64_t i = 0; i < sum_.shards().size(); ++i) {
    gradients_.push_back(parameters_.zeros_like());
    gradient_parts_.push_back(parameters_.parts_of(gradients_.back()));
  }
  for (int i = 0; i < workers.count(); ++i)
    tapes_.push_back(std::make_unique<Tape>(TapeOptions{.training = true}));
}

StepReport Learner::learn(std::span<const std::vector<Batch>> batches) {
  StepReport report = {.step = this_step()};
  const auto shards = static_cast<size_t>(shards_);
  std::vector<ShardSums> sums(shards);
  for (const std::vector<Batch>& batch : batches)
    require(batch.size() == shards, "learner: a batch of {} shards but {} were expected",
            batch.size(), shards);
  // The batches of a shard stay on one worker and in order, because they add to the same gradient.
  workers_.run(sum_.shards().size(), [&](int64_t task, int worker) {
    const size_t shard = static_cast<size_t>(sum_.shards().begin + task);
    for (size_t turn = 0; turn < batches.size(); ++turn)
      find_gradient(batches[turn][shard], shard, turn, worker, sums[shard]);
  });
  gather_shares<ShardSums>(ranks_, sums);
  const int64_t times = r_drop() > 0 ? 2 : 1;
  report.source_tokens = times * source_tokens(batches);
  report.target_tokens = times * target_tokens(batches);
  require(report.target_tokens > 0, "learner: a step without target tokens");
  const double per_token = 1.0 / static_cast<double>(report.target_tokens);
  for (const ShardSums& shard : sums) {
    report.loss += shard.loss * per_token;
    report.negative_likelihood += shard.negative_likelihood * per_token;
  }
  report.gradient_norm = std::sqrt(sum_.add(gradients_)) * per_token;
  report.learning_rate = learning_rate(config_.schedule, this_step());
  report.skipped = !std::isfinite(report.loss) || !std::isfinite(report.gradient_norm);
  const double clipping = config_.clip_norm > 0 && report.gradient_norm > config_.clip_norm
                              ? config_.clip_norm / report.gradient_norm
                              : 1.0;
  if (!report.skipped) update(per_token * clipping, report.learning_rate);
  ++state_.step;
  return report;
}

void Learner::find_gradient(const Batch& shard, size_t shard_index, size_t turn, int worker,
                            ShardSums& sums) {
  Tape& tape = *tapes_[static_cast<size_t>(worker)];
  tape.clear(dropout_seed(config_.seed, this_step(), turn, shard_index));
  const std::vector<Parameter> values = parameters_.parts();
  const size_t home = shard_index - static_cast<size_t>(sum_.shards().begin);
  const std::vector<Parameter>& homes = gradient_parts_[home];
  for (size_t i = 0; i < values.size(); ++i)
    tape.collect_gradient(values[i].value, homes[i].value,
                          turn == 0 ? Tape::Home::overwritten : Tape::Home::added_to);
  if (turn == 0 && shard.sentences() == 0) gradients_[home].fill(0);
  if (shard.sentences() == 0) return;

  const Variable cost = model_.loss(tape, r_drop() > 0 ? twice(shard) : shard,
                                    {.label_smoothing = config_.label_smoothing,
                                     .r_drop = r_drop(),
                                     .negative_likelihood = &sums.negative_likelihood});
  sums.loss += cost.value()[0];
  tape.backward(cost);
  // A parameter that this shard did not use has no gradient, whatever its home held before.
  if (turn > 0) return;
  for (size_t i = 0; i < values.size(); ++i)
    if (!tape.has_gradient(values[i].value)) Tensor(homes[i].value).fill(0);
}

void Learner::update(double gradient_scale, double learning_rate) {
  const int64_t update = state_.updates + 1;
  const kernels::AdamStep step = {.learning_rate = learning_rate,
                                  .beta1 = config_.beta1,
                                  .beta2 = config_.beta2,
                                  .epsilon = config_.epsilon,
                                  .decay = config_.weight_decay,
                                  .gradient_scale = gradient_scale,
                                  .step = update};
  // The EMA follows quickly at first, so that it forgets the random initial weights.
  const double updates = static_cast<double>(update);
  const float follow =
      static_cast<float>(1.0 - std::min(config_.ema, (1.0 + updates) / (10.0 + updates)));
  const std::span<float> owned_weights = part_of(state_.weights.span<float>(), owned_);
  workers_.run(blocks_of(owned_.size()), [&](int64_t block, int) {
    const auto part = [&](Tensor& flat) { return block_of(flat.span<float>(), block); };
    const std::span<float> weights = block_of(owned_weights, block);
    kernels::adam_update(step, block_of(sum_.owned(), block), part(state_.first_moment),
                         part(state_.second_moment), weights);
    if (!state_.ema.present()) return;
    const std::span<float> ema = part(state_.ema);
    for (size_t i = 0; i < ema.size(); ++i) ema[i] += follow * (weights[i] - ema[i]);
  });
  gather_owned(ranks_, state_.weights.span<float>());
  state_.updates = update;
}

void Learner::restore(const LearnerState& whole) {
  const auto require_whole = [&](const Tensor& array, bool wanted) {
    require(array.present() == wanted && (!wanted || array.shape() == state_.weights.shape()),
            "learner: a state of {} numbers but {} were expected", array.elements(),
            wanted ? parameters_.size() : 0);
  };
  if (ranks_.is_first()) {
    for (const Tensor* array : {&whole.weights, &whole.first_moment, &whole.second_moment})
      require_whole(*array, true);
    require_whole(whole.ema, state_.ema.present());
    state_.weights.copy_from(whole.weights);
  }
  ranks_.broadcast(0, std::as_writable_bytes(state_.weights.span<float>()));
  restore_owned(whole.first_moment, state_.first_moment);
  restore_owned(whole.second_moment, state_.second_moment);
  if (state_.ema.present()) restore_owned(whole.ema, state_.ema);
  state_.step = of_first(ranks_, whole.step);
  state_.updates = of_first(ranks_, whole.updates);
}

void Learner::restore_owned(const Tensor& whole, Tensor& owned) {
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  if (ranks_.is_first()) {
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      const Range theirs = owned_numbers(parameters_.size(), rank, ranks_.size());
      out.push_back({rank, std::as_bytes(part_of(whole.span<float>(), theirs))});
    }
    owned.copy_from(whole.slice(owned_.begin, owned_.end));
  } else {
    in.push_back({0, std::as_writable_bytes(owned.span<float>())});
  }
  ranks_.exchange(out, in);
}

bool Learner::is_finite() const {
  return holds_everywhere(ranks_, all_finite(state_.weights) && all_finite(state_.first_moment) &&
                                      all_finite(state_.second_moment) && all_finite(state_.ema));
}

// Alone, the two change places. Otherwise, each rank has only some of the EMA.
Tensor Learner::compute_with_ema() {
  if (!state_.ema.present()) return {};
  if (ranks_.size() == 1) {
    exchange_ema();
    return {};
  }
  Tensor replaced = state_.weights.clone();
  state_.weights.slice(owned_.begin, owned_.end).copy_from(state_.ema);
  gather_owned(ranks_, state_.weights.span<float>());
  return replaced;
}

void Learner::compute_without_ema(const Tensor& replaced) {
  if (!state_.ema.present()) return;
  if (ranks_.size() == 1)
    exchange_ema();
  else
    state_.weights.copy_from(replaced);
}

void Learner::exchange_ema() {
  const std::span<float> ema = state_.ema.span<float>(), weights = state_.weights.span<float>();
  std::swap_ranges(ema.begin(), ema.end(), weights.begin());
}

size_t Learner::memory() const {
  size_t bytes = state_.weights.bytes() + state_.first_moment.bytes() +
                 state_.second_moment.bytes() + state_.ema.bytes();
  bytes += sum_.memory();
  for (const Tensor& gradient : gradients_) bytes += gradient.bytes();
  for (const auto& tape : tapes_) bytes += tape->arena().peak();
  return bytes;
}

}  // namespace heed
