// Trains a model step by step: gradients of a step's shards on several workers and ranks, their
// sum, the optimiser and the EMA. The result depends on the shards, never on the number of workers
// or ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/workers.h"
#include "heed/data/batch.h"
#include "heed/models/model.h"
#include "heed/training/flat_parameters.h"
#include "heed/training/gradient_sum.h"
#include "heed/training/looked_up_rows.h"
#include "heed/training/schedule.h"
#include "heed/training/weight_arrival.h"

namespace heed {

struct LearnerConfig {
  ScheduleConfig schedule = {};
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double weight_decay = 0.0;  // decoupled, as in AdamW; 0 for plain Adam
  // Weight of the penalty for the squared distance from the weights at the start (MAP-L2). Its
  // gradient, 2 keep_close (weight - start), joins that of a token's mean loss after clipping.
  double keep_close = 0.0;
  double clip_norm = 1.0;        // largest norm of the mean gradient; 0: no clipping
  double label_smoothing = 0.1;  // share of each target spread over the vocabulary
  double r_drop = 0.0;           // weight of R-Drop, see CrossEntropyOptions; 0: off
  int64_t r_drop_after = 0;      // steps before R-Drop starts: early training is faster without it
  GradientPrecision gradients = GradientPrecision::float32;
  double ema = 0.0;  // decay of the exponential moving average; 0: none
  uint64_t seed = 1;

  bool operator==(const LearnerConfig&) const = default;
};

// Refuses settings that cannot work, naming the setting.
void check(const LearnerConfig& config);

struct StepReport {
  int64_t step = 0;
  double loss = 0;                 // per target token, with label smoothing and R-Drop
  double negative_likelihood = 0;  // per target token
  double gradient_norm = 0;        // of the mean gradient, before clipping
  double learning_rate = 0;
  int64_t source_tokens = 0;  // with R-Drop, tokens count twice
  int64_t target_tokens = 0;
  bool skipped = false;  // because the loss or the gradient was not finite; nothing was changed
};

// What must be saved to continue later as if nothing had happened. In a learner, each rank has all
// weights, and of the moments and the EMA only the numbers that it owns (see Ownership).
struct LearnerState {
  Tensor weights, first_moment, second_moment;
  Tensor ema;           // absent without an EMA
  int64_t step = 0;     // steps tried, skipped ones included
  int64_t updates = 0;  // steps that changed the weights
};

// Ranks must start with the same weights, and call the same functions with the same arguments.
class Learner {
 public:
  Learner(PredictingModel& model, const LearnerConfig& config, int shards, Workers& workers,
          Communicator& ranks = alone());

  // One step. Each element of `batches` has as many shards as the learner, whichever rank they come
  // to; their gradients are summed. If it throws, for lack of memory or otherwise, weights and
  // state are unchanged. On many ranks, the weights that others have updated come with the next
  // step, beside its computation; before anyone else may use the model, `complete` fetches them.
  StepReport learn(std::span<const std::vector<Batch>> batches);

  // All weights are there from now on, until the next step. `state`, `weights`, `is_finite`,
  // `restore`, EmaWeights and Restored do it by themselves.
  void complete() const;

  const FlatParameters& parameters() const { return parameters_; }
  int64_t steps() const { return state_.step; }

  // Shares the learner's tensors; no copies.
  const LearnerState& state() const { return complete(), state_; }
  // Whether all weights, moments and averages are finite. Once they are not, they stay that way.
  bool is_finite() const;
  // Takes the whole state, which rank 0 has; that of other ranks does not count.
  void restore(const LearnerState& whole);

  // While it lives, the model computes with the EMA, if there is one.
  class EmaWeights {
   public:
    explicit EmaWeights(Learner& learner)
        : learner_(learner), replaced_(learner.compute_with_ema()) {}
    ~EmaWeights() { learner_.compute_without_ema(replaced_); }
    EmaWeights(const EmaWeights&) = delete;
    EmaWeights& operator=(const EmaWeights&) = delete;

   private:
    Learner& learner_;
    Tensor replaced_;
  };

  // The weights that the model computes with.
  std::span<float> weights() { return complete(), state_.weights.span<float>(); }

  // Restores the weights at its end.
  class Restored {
   public:
    explicit Restored(Learner& learner)
        : learner_(learner), before_(learner.state().weights.clone()) {}
    ~Restored() { learner_.state_.weights.copy_from(before_); }
    Restored(const Restored&) = delete;
    Restored& operator=(const Restored&) = delete;

   private:
    Learner& learner_;
    Tensor before_;
  };

  size_t memory() const;  // bytes of weights, gradients, moments and the workers' arenas

 private:
  struct ShardSums {
    double loss = 0;
    double negative_likelihood = 0;
  };
  int64_t this_step() const { return state_.step + 1; }  // the step in progress
  double r_drop() const { return this_step() > config_.r_drop_after ? config_.r_drop : 0; }
  // One of the batches whose gradients a shard adds up.
  struct ShardTurn {
    size_t shard = 0, index = 0;
  };
  void find_gradient(const Batch& shard, const ShardTurn& turn, int worker,
                     const Tape::Settled& settled, ShardSums& sums);
  void begin_sum(std::span<const std::vector<Batch>> batches);
  void wait_for(const Tensor& weight);  // which is about to be used
  void update(double gradient_scale, double learning_rate);
  void add_distance(const Ownership::Block& block, double gradient_scale);
  // Returns the weights if they are not kept in place of the EMA.
  Tensor compute_with_ema();
  void compute_without_ema(const Tensor& replaced);
  void exchange_ema();

  PredictingModel& model_;
  LearnerConfig config_;
  int shards_;
  Workers& workers_;
  Communicator& ranks_;
  FlatParameters parameters_;
  LookedUpRows looked_up_;
  // Both are changed where the learner's own state is not: what others have updated arrives.
  mutable WeightArrival arrival_;
  mutable GradientSum sum_;     // whose thread also receives weights
  const Ownership& ownership_;  // of the flat array
  LearnerState state_;
  Tensor start_;  // the weights that the learner owns, as they were at first; absent if not needed
  std::vector<Tensor> gradients_;                       // a flat array for each of its own shards
  std::vector<std::vector<Parameter>> gradient_parts_;  // the same, by parameter
  std::vector<std::unique_ptr<Tape>> tapes_;            // one per worker
};

}  // namespace heed
