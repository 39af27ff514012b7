#include "heed/training/learner.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/round_up.h"
#include "heed/kernels/adam.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

// The flat arrays are processed in blocks, whose number and order do not depend on the workers.
constexpr int64_t block_size = 1 << 14;

int64_t blocks_of(int64_t size) { return divide_up(size, block_size); }

template <typename T>
std::span<T> block_of(std::span<T> flat, int64_t index) {
  const size_t begin = static_cast<size_t>(index * block_size);
  return flat.subspan(begin, std::min(static_cast<size_t>(block_size), flat.size() - begin));
}

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

Learner::Learner(PredictingModel& model, const LearnerConfig& config, int shards, Workers& workers)
    : model_(model), config_(checked(config)), workers_(workers), parameters_(model) {
  require(shards >= 1, "learner: {} shards but at least 1 was expected", shards);
  state_.weights = parameters_.array();
  state_.first_moment = parameters_.zeros_like();
  state_.second_moment = parameters_.zeros_like();
  if (config.ema > 0) state_.ema = parameters_.array().clone();
  for (int i = 0; i < shards; ++i) {
    gradients_.push_back(parameters_.zeros_like());
    gradient_parts_.push_back(parameters_.parts_of(gradients_.back()));
  }
  for (int i = 0; i < workers.count(); ++i)
    tapes_.push_back(std::make_unique<Tape>(TapeOptions{.training = true}));
}

StepReport Learner::learn(std::span<const std::vector<Batch>> batches) {
  StepReport report = {.step = this_step()};
  const size_t shards = gradients_.size();
  std::vector<ShardSums> sums(shards);
  for (const std::vector<Batch>& batch : batches)
    require(batch.size() == shards, "learner: a batch of {} shards but {} were expected",
            batch.size(), shards);
  // The batches of a shard stay on one worker and in order, because they add to the same gradient.
  workers_.run(static_cast<int64_t>(shards), [&](int64_t task, int worker) {
    const size_t shard = static_cast<size_t>(task);
    for (size_t turn = 0; turn < batches.size(); ++turn)
      find_gradient(batches[turn][shard], shard, turn, worker, sums[shard]);
  });
  const int64_t times = r_drop() > 0 ? 2 : 1;
  report.source_tokens = times * source_tokens(batches);
  report.target_tokens = times * target_tokens(batches);
  require(report.target_tokens > 0, "learner: a step without target tokens");
  const double per_token = 1.0 / static_cast<double>(report.target_tokens);
  for (const ShardSums& shard : sums) {
    report.loss += shard.loss * per_token;
    report.negative_likelihood += shard.negative_likelihood * per_token;
  }
  report.gradient_norm = std::sqrt(sum_gradients()) * per_token;
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
  const std::vector<Parameter>& homes = gradient_parts_[shard_index];
  for (size_t i = 0; i < values.size(); ++i)
    tape.collect_gradient(values[i].value, homes[i].value,
                          turn == 0 ? Tape::Home::overwritten : Tape::Home::added_to);
  if (turn == 0 && shard.sentences() == 0) gradients_[shard_index].fill(0);
  if (shard.sentences() == 0) return;

  const Variable cost = loss(tape, model_, r_drop() > 0 ? twice(shard) : shard,
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

// Sums the shards into the first, in pairs, then pairs of pairs. Returns the square of the sum's
// norm.
double Learner::sum_gradients() {
  const int64_t blocks = blocks_of(parameters_.size());
  std::vector<double> squares(static_cast<size_t>(blocks));
  workers_.run(blocks, [&](int64_t block, int) {
    const auto part = [&](size_t shard) {
      return block_of(gradients_[shard].span<float>(), block);
    };
    for (size_t stride = 1; stride < gradients_.size(); stride *= 2)
      for (size_t shard = 0; shard + stride < gradients_.size(); shard += 2 * stride)
        kernels::add_scaled(1.0f, part(shard + stride), part(shard));
    squares[static_cast<size_t>(block)] = kernels::dot(part(0), part(0));
  });
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum;
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
  workers_.run(blocks_of(parameters_.size()), [&](int64_t block, int) {
    const auto part = [&](Tensor& flat) { return block_of(flat.span<float>(), block); };
    kernels::adam_update(step, part(gradients_[0]), part(state_.first_moment),
                         part(state_.second_moment), part(state_.weights));
    if (!state_.ema.present()) return;
    const std::span<float> ema = part(state_.ema), weights = part(state_.weights);
    for (size_t i = 0; i < ema.size(); ++i) ema[i] += follow * (weights[i] - ema[i]);
  });
  state_.updates = update;
}

void Learner::restore(const LearnerState& state) {
  for (const auto& [mine, given] : {std::pair{&state_.weights, &state.weights},
                                    {&state_.first_moment, &state.first_moment},
                                    {&state_.second_moment, &state.second_moment},
                                    {&state_.ema, &state.ema}}) {
    require(mine->shape() == given->shape() && mine->present() == given->present(),
            "learner: a state of {} numbers but {} were expected", given->elements(),
            mine->elements());
    if (mine->present()) mine->copy_from(*given);
  }
  state_.step = state.step;
  state_.updates = state.updates;
}

bool Learner::is_finite() const {
  return all_finite(state_.weights) && all_finite(state_.first_moment) &&
         all_finite(state_.second_moment) && (!state_.ema.present() || all_finite(state_.ema));
}

void Learner::exchange_ema() {
  if (!state_.ema.present()) return;
  const std::span<float> ema = state_.ema.span<float>(), weights = state_.weights.span<float>();
  std::swap_ranges(ema.begin(), ema.end(), weights.begin());
}

size_t Learner::memory() const {
  size_t bytes = state_.weights.bytes() + state_.first_moment.bytes() +
                 state_.second_moment.bytes() + state_.ema.bytes();
  for (const Tensor& gradient : gradients_) bytes += gradient.bytes();
  for (const auto& tape : tapes_) bytes += tape->arena().peak();
  return bytes;
}

}  // namespace heed
