// Makes a model's weights better, step by step: gradients of a step's shards on several workers,
// their sum, the optimiser and the moving average. What comes out depends on the shards, never on
// the number of workers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/batch.h"
#include "heed/models/model.h"
#include "heed/training/flat_parameters.h"
#include "heed/training/schedule.h"

namespace heed {

struct LearnerConfig {
  ScheduleConfig schedule = {};
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double weight_decay = 0.0;     // decoupled, as in AdamW; 0 for plain Adam
  double clip_norm = 1.0;        // the largest norm of the mean gradient; 0 for any
  double label_smoothing = 0.1;  // of the labels
  double r_drop = 0.0;           // above 0 each sentence is seen twice, see CrossEntropyOptions
  int64_t r_drop_after = 0;      // steps before that begins: a beginner learns faster without
  double ema = 0.0;              // how much of the moving average stays at each step; 0 for none
  uint64_t seed = 1;

  bool operator==(const LearnerConfig&) const = default;
};

// Refuses settings that nothing can be learnt with, naming the setting.
void check(const LearnerConfig& config);

struct StepReport {
  int64_t step = 0;
  double loss = 0;                 // per target token, with label smoothing and disagreement
  double negative_likelihood = 0;  // per target token
  double gradient_norm = 0;        // of the mean gradient, before clipping
  double learning_rate = 0;
  int64_t source_tokens = 0;  // computed with: those that are seen twice count twice
  int64_t target_tokens = 0;
  bool skipped = false;  // because the loss or the gradient was not finite; nothing was changed
};

// What has to be kept to go on later as if nothing had happened.
struct LearnerState {
  Tensor weights, first_moment, second_moment;
  Tensor ema;           // absent without a moving average
  int64_t step = 0;     // steps tried, skipped ones included
  int64_t updates = 0;  // steps that changed the weights
};

class Learner {
 public:
  Learner(Model& model, const LearnerConfig& config, int shards, Workers& workers);

  // One step. Each element of `batches` has the learner's number of shards; their gradients add up.
  StepReport learn(std::span<const std::vector<Batch>> batches);

  const FlatParameters& parameters() const { return parameters_; }
  int64_t steps() const { return state_.step; }

  // The numbers are the learner's own, not copies.
  const LearnerState& state() const { return state_; }
  // No weight, moment or average is infinite or no number at all. What is not finite stays so.
  bool is_finite() const;
  void restore(const LearnerState& state);

  // While it lives, the model computes with the moving average, if there is one.
  class EmaWeights {
   public:
    explicit EmaWeights(Learner& learner) : learner_(learner) { learner_.exchange_ema(); }
    ~EmaWeights() { learner_.exchange_ema(); }
    EmaWeights(const EmaWeights&) = delete;
    EmaWeights& operator=(const EmaWeights&) = delete;

   private:
    Learner& learner_;
  };

  // The weights that the model computes with.
  std::span<float> weights() { return state_.weights.span<float>(); }

  // When it ends, the weights are again what they were when it began.
  class Restored {
   public:
    explicit Restored(Learner& learner)
        : learner_(learner), before_(learner.state_.weights.clone()) {}
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
  double r_drop() const {
    return state_.step > config_.r_drop_after ? config_.r_drop : 0;
  }  // of this step
  void find_gradient(const Batch& shard, size_t shard_index, size_t turn, int worker,
                     ShardSums& sums);
  double sum_gradients();
  void update(double gradient_scale, double learning_rate);
  void exchange_ema();

  Model& model_;
  LearnerConfig config_;
  Workers& workers_;
  FlatParameters parameters_;
  LearnerState state_;
  std::vector<Tensor> gradients_;                       // one flat array per shard
  std::vector<std::vector<Parameter>> gradient_parts_;  // the same, by parameter
  std::vector<std::unique_ptr<Tape>> tapes_;            // one per worker
};

}  // namespace heed
