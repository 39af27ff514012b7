// The settings of training, each with its name.
#pragma once

#include "heed/base/enum_names.h"
#include "heed/base/fields.h"
#include "heed/training/trainer.h"

namespace heed {

template <>
struct EnumNames<ScheduleKind> {
  static constexpr NamedValue<ScheduleKind> values[] = {
      {ScheduleKind::inverse_square_root, "inverse-square-root"},
      {ScheduleKind::cosine, "cosine"},
      {ScheduleKind::linear, "linear"},
      {ScheduleKind::constant, "constant"}};
};

template <>
struct EnumNames<Criterion> {
  static constexpr NamedValue<Criterion> values[] = {{Criterion::cross_entropy, "cross-entropy"},
                                                     {Criterion::perplexity, "perplexity"},
                                                     {Criterion::bleu, "bleu"},
                                                     {Criterion::chrf, "chrf"},
                                                     {Criterion::accuracy, "accuracy"},
                                                     {Criterion::f1, "f1"}};
};

template <>
struct EnumNames<GradientPrecision> {
  static constexpr NamedValue<GradientPrecision> values[] = {
      {GradientPrecision::float32, "float32"}, {GradientPrecision::bfloat16, "bfloat16"}};
};

inline constexpr double most_steps = 0x1p40;

template <>
struct Fields<ScheduleConfig> {
  using Config = ScheduleConfig;
  static constexpr auto list =
      std::tuple(field("learning-rate", &Config::learning_rate, "Peak learning rate", {.above = 0}),
                 field("warm-up", &Config::warm_up, "Steps of linear warm-up",
                       {.least = 0, .most = most_steps}),
                 field("schedule", &Config::kind, "How the learning rate decays after the warm-up"),
                 field("decay-steps", &Config::steps,
                       "Step at which cosine and linear decay reach zero (0: --steps)",
                       {.least = 0, .most = most_steps}));
};

template <>
struct Fields<LearnerConfig> {
  using Config = LearnerConfig;
  static constexpr auto list = std::tuple(
      nested(&Config::schedule),
      field("beta1", &Config::beta1, "Decay of Adam's first moment", {.least = 0, .below = 1}),
      field("beta2", &Config::beta2, "Decay of Adam's second moment", {.least = 0, .below = 1}),
      field("epsilon", &Config::epsilon, "Adam's epsilon", {.above = 0}),
      field("weight-decay", &Config::weight_decay, "Decoupled weight decay, as in AdamW",
            {.least = 0}),
      field("keep-close", &Config::keep_close,
            "Weight of the squared distance from the pretrained weights (0: off)", {.least = 0}),
      field("clip-norm", &Config::clip_norm, "Clip gradients to this norm (0: off)", {.least = 0}),
      field("label-smoothing", &Config::label_smoothing, "Probability spread over the vocabulary",
            {.least = 0, .below = 1}),
      field("r-drop", &Config::r_drop,
            "Weight of R-Drop: passes with different dropout should agree (0: off)", {.least = 0}),
      field("r-drop-after", &Config::r_drop_after, "Step after which R-Drop starts",
            {.least = 0, .most = most_steps}),
      field("gradients", &Config::gradients,
            "Precision of gradients; bfloat16: half the bytes, another result"),
      field("ema", &Config::ema, "Decay of the exponential moving average of the weights (0: off)",
            {.least = 0, .below = 1}),
      no_setting(&Config::seed));  // that of the run
};

// Budgets may grow, and checkpoints and patience decide only when a run ends, not what it learns.
template <>
struct Fields<TrainerConfig> {
  using Config = TrainerConfig;
  static constexpr const char *training = "Training (overrides the preset)",
                              *validation = "Validation", *run = "Run";
  static constexpr auto list = std::tuple(
      no_setting(&Config::learner),  // it comes from the preset
      field("accumulate", &Config::accumulate, "Gradient accumulation: batches per step",
            {.least = 1, .most = 10'000, .group = training}),
      field("shards", &Config::shards, "Parts of a batch that threads share; changes the result",
            {.least = 1, .most = 256, .group = training}),
      field("validate-every", &Config::validate_every,
            "Steps between validations (0: once per epoch)", {.least = 0, .group = validation}),
      field("criterion", &Config::criterion, "Metric that selects the best model",
            {.group = validation}),
      no_setting(&Config::patience),  // chosen by the run if nobody does
      field("average-last", &Config::average_last,
            "At the end, average the weights of this many last validations",
            {.least = 0, .group = validation}),
      field("steps", &Config::steps, "Stop after this many steps",
            {.least = 1, .zero_is_none = true, .change = Change::free, .group = run}),
      field("epochs", &Config::epochs, "Stop after this many epochs",
            {.least = 1, .zero_is_none = true, .change = Change::free, .group = run}),
      field("time", &Config::seconds, "Stop after this much time, e.g. 90s, 30m, 2h",
            {.above = 0,
             .zero_is_none = true,
             .change = Change::free,
             .unit = Unit::seconds,
             .group = run}),
      field("save-every", &Config::save_every,
            "Steps between checkpoints; validations save one, too",
            {.least = 1, .change = Change::free, .group = run}));
};

}  // namespace heed
