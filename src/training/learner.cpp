#include "heed/training/learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// Tells the sum which parts of a shard's gradient are final, each as soon as its backward pass has
// left it, and the rest at the end.
class SettledParts {
 public:
  SettledParts(GradientSum& sum, const FlatParameters& parameters, const Tensor& gradient)
      : sum_(sum), parameters_(parameters), first_(gradient.data<float>()) {
    if (sum.wants_settled()) open_.assign(parameters.count(), true);
  }

  // For the tape.
  Tape::Settled listener() {
    if (open_.empty()) return nullptr;
    return [this](const Tensor& home) { settle(parameters_.part_at(home.data<float>() - first_)); };
  }
  void settle_rest() {
    for (size_t part = 0; part < open_.size(); ++part) settle(part);
  }

 private:
  void settle(size_t part) {
    if (open_[part]) sum_.settle(parameters_.range_of(part));
    open_[part] = false;
  }

  GradientSum& sum_;
  const FlatParameters& parameters_;
  const float* first_;
  std::vector<bool> open_;
};

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
  require_amount("keep close", config.keep_close);
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
      looked_up_(model, parameters_),
      arrival_(Tensor(parameters_.array()).span<float>(), ranks, looked_up_.tables()),
      sum_(parameters_.size(), shards, workers, ranks, config.gradients, looked_up_.tables()),
      ownership_(sum_.ownership()) {
  state_.weights = parameters_.array();
  state_.first_moment = Tensor::zeros({ownership_.owned()});
  state_.second_moment = Tensor::zeros({ownership_.owned()});
  if (config.ema > 0) {
    state_.ema = Tensor::uninitialised({ownership_.owned()});
    ownership_.take(weights(), state_.ema.span<float>());
  }
  if (config.keep_close > 0) {
    start_ = Tensor::uninitialised({ownership_.owned()});
    ownership_.take(weights(), start_.span<float>());
  }
  for (int64_t i = 0; i < sum_.shards().size(); ++i) {
    gradients_.push_back(parameters_.zeros_like());
    gradient_parts_.push_back(parameters_.parts_of(gradients_.back()));
  }
  for (int i = 0; i < workers.count(); ++i) {
    tapes_.push_back(std::make_unique<Tape>(TapeOptions{.training = true}));
    if (ranks.size() > 1)
      tapes_.back()->await_values([this](const Tensor& weight) { wait_for(weight); });
  }
}

void Learner::complete() const {
  if (arrival_.is_complete()) return;
  sum_.abandon();
  arrival_.receive(Waiting::busily);
}

void Learner::wait_for(const Tensor& weight) {
  const int64_t begin = weight.data<float>() - state_.weights.data<float>();
  arrival_.wait_for({begin, begin + weight.elements()});
}

// The rows that words are looked up in are the first that a step needs.
void Learner::begin_sum(std::span<const std::vector<Batch>> batches) {
  looked_up_.begin(batches, sum_.shards());
  std::vector<std::vector<Range>> needs;
  if (!arrival_.is_complete())
    for (int rank = 0; rank < ranks_.size(); ++rank)
      needs.push_back(looked_up_.rows_of(sum_.shards_of(rank)));
  sum_.begin(gradients_, looked_up_.gradients(),
             [this, needs = std::move(needs)] { arrival_.receive(Waiting::beside_work, needs); });
  arrival_.wait_for_needs();
}

StepReport Learner::learn(std::span<const std::vector<Batch>> batches) {
  StepReport report = {.step = this_step()};
  const auto shards = static_cast<size_t>(shards_);
  std::vector<ShardSums> sums(shards);
  for (const std::vector<Batch>& batch : batches)
    require(batch.size() == shards, "learner: a batch of {} shards but {} were expected",
            batch.size(), shards);
  begin_sum(batches);
  // The batches of a shard stay on one worker and in order, because they add to the same gradient.
  workers_.run(sum_.shards().size(), [&](int64_t task, int worker) {
    const size_t shard = static_cast<size_t>(sum_.shards().begin + task);
    SettledParts settled(sum_, parameters_, gradients_[static_cast<size_t>(task)]);
    for (size_t turn = 0; turn < batches.size(); ++turn)
      find_gradient(batches[turn][shard], {shard, turn}, worker,
                    turn + 1 == batches.size() ? settled.listener() : nullptr, sums[shard]);
    settled.settle_rest();
  });
  report.gradient_norm = std::sqrt(sum_.add());
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
  report.gradient_norm *= per_token;
  report.learning_rate = learning_rate(config_.schedule, this_step());
  report.skipped = !std::isfinite(report.loss) || !std::isfinite(report.gradient_norm);
  const double clipping = config_.clip_norm > 0 && report.gradient_norm > config_.clip_norm
                              ? config_.clip_norm / report.gradient_norm
                              : 1.0;
  if (!report.skipped) update(per_token * clipping, report.learning_rate);
  ++state_.step;
  return report;
}

void Learner::find_gradient(const Batch& shard, const ShardTurn& turn, int worker,
                            const Tape::Settled& settled, ShardSums& sums) {
  Tape& tape = *tapes_[static_cast<size_t>(worker)];
  tape.clear(dropout_seed(config_.seed, this_step(), turn.index, turn.shard));
  const std::vector<Parameter>& values = parameters_.parts();
  const size_t home = turn.shard - static_cast<size_t>(sum_.shards().begin);
  const std::vector<Parameter>& homes = gradient_parts_[home];
  for (size_t i = 0; i < values.size(); ++i)
    tape.collect_gradient(values[i].value, homes[i].value,
                          turn.index == 0 ? Tape::Home::overwritten : Tape::Home::added_to);
  looked_up_.collect(tape, turn.shard);
  if (turn.index == 0 && shard.sentences() == 0) gradients_[home].fill(0);
  if (shard.sentences() == 0) return;

  const Variable cost = model_.loss(tape, r_drop() > 0 ? twice(shard) : shard,
                                    {.label_smoothing = config_.label_smoothing,
                                     .r_drop = r_drop(),
                                     .negative_likelihood = &sums.negative_likelihood});
  sums.loss += cost.value()[0];
  // Parameters without a gradient, whatever their homes held before.
  const auto clear = [&](bool watched) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (tape.is_watched(values[i].value) != watched || tape.has_gradient(values[i].value))
        continue;
      if (turn.index == 0) Tensor(homes[i].value).fill(0);
      if (settled && !watched) settled(homes[i].value);
    }
  };
  clear(false);  // the shard does not use them, so that they are final at once
  tape.backward(cost, settled);
  clear(true);
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
  const std::vector<Ownership::Block>& blocks = ownership_.blocks();
  workers_.run(static_cast<int64_t>(blocks.size()), [&](int64_t index, int) {
    const Ownership::Block& block = blocks[static_cast<size_t>(index)];
    const auto part = [&](Tensor& owned) { return part_of(owned.span<float>(), block.stored); };
    const std::span<float> weights = part_of(state_.weights.span<float>(), block.numbers);
    if (start_.present()) add_distance(block, gradient_scale);
    kernels::adam_update(step, sum_.owned(block), part(state_.first_moment),
                         part(state_.second_moment), weights);
    if (!state_.ema.present()) return;
    const std::span<float> ema = part(state_.ema);
    for (size_t i = 0; i < ema.size(); ++i) ema[i] += follow * (weights[i] - ema[i]);
  });
  arrival_.expect();
  state_.updates = update;
}

// The optimiser multiplies the gradient by the scale, so what is added here is divided by it.
void Learner::add_distance(const Ownership::Block& block, double gradient_scale) {
  const std::span<float> gradient = sum_.owned(block);
  const std::span<const float> now = part_of(state_.weights.span<float>(), block.numbers),
                               start = part_of(start_.span<float>(), block.stored);
  const auto weight = static_cast<float>(2 * config_.keep_close / gradient_scale);
  for (size_t i = 0; i < gradient.size(); ++i) gradient[i] += weight * (now[i] - start[i]);
}

void Learner::restore(const LearnerState& whole) {
  const auto require_whole = [&](const Tensor& array, bool wanted) {
    require(array.present() == wanted && (!wanted || array.shape() == state_.weights.shape()),
            "learner: a state of {} numbers but {} were expected", array.elements(),
            wanted ? parameters_.size() : 0);
  };
  complete();
  if (ranks_.is_first()) {
    for (const Tensor* array : {&whole.weights, &whole.first_moment, &whole.second_moment})
      require_whole(*array, true);
    require_whole(whole.ema, state_.ema.present());
    state_.weights.copy_from(whole.weights);
  }
  ranks_.broadcast(0, std::as_writable_bytes(state_.weights.span<float>()));
  const auto restore_owned = [&](const Tensor& array, Tensor& owned) {
    ownership_.scatter(ranks_, array.span<float>(), owned.span<float>());
  };
  restore_owned(whole.first_moment, state_.first_moment);
  restore_owned(whole.second_moment, state_.second_moment);
  if (state_.ema.present()) restore_owned(whole.ema, state_.ema);
  state_.step = of_first(ranks_, whole.step);
  state_.updates = of_first(ranks_, whole.updates);
}

bool Learner::is_finite() const {
  complete();
  return holds_everywhere(ranks_, all_finite(state_.weights) && all_finite(state_.first_moment) &&
                                      all_finite(state_.second_moment) && all_finite(state_.ema));
}

// Alone, the two change places. Otherwise, each rank has only some of the EMA.
Tensor Learner::compute_with_ema() {
  complete();
  if (!state_.ema.present()) return {};
  if (ranks_.size() == 1) {
    exchange_ema();
    return {};
  }
  Tensor replaced = state_.weights.clone();
  ownership_.put_back(state_.ema.span<float>(), weights());
  ownership_.gather(ranks_, weights());
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
                 state_.second_moment.bytes() + state_.ema.bytes() + start_.bytes();
  bytes += sum_.memory() + looked_up_.memory();
  for (const Tensor& gradient : gradients_) bytes += gradient.bytes();
  for (const auto& tape : tapes_) bytes += tape->arena().peak();
  return bytes;
}

}  // namespace heed
