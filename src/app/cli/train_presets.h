// Sizes of models with settings of training that suit them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heed/app/cli/train_options.h"
#include "heed/models/config_fields.h"

namespace heed {

inline constexpr std::array<std::string_view, 4> preset_names = {"tiny", "small", "base", "rnn"};

struct Preset {
  ModelConfig model;
  LearnerConfig learner;
};

Preset preset_of(std::string_view name);
// The size of Transformer that so many sentence pairs can teach.
std::string_view preset_for(int64_t pairs);

// The preset that was asked for or suits so many pairs, with the settings that were given instead
// of its own. An Error names a setting that is no number where one was expected, or that the model
// does not have.
Preset chosen_preset(const TrainOptions& options, int64_t pairs);

// Before hours are spent on a large corpus: an Error for settings that cannot work whatever the
// corpus is.
void refuse_impossible_settings(const TrainOptions& options);

// Calls visit(name, field, what it is) for the settings of learning that the command line takes.
template <typename Visit>
void visit_fields(LearnerConfig& c, Visit&& visit) {
  visit("learning-rate", c.schedule.learning_rate, "the highest learning rate");
  visit("warm-up", c.schedule.warm_up, "steps until the learning rate is highest");
  visit("schedule", c.schedule.kind, "how the learning rate falls afterwards");
  visit("decay-steps", c.schedule.steps, "where cosine and linear reach zero (0: at --steps)");
  visit("beta1", c.beta1, "of Adam");
  visit("beta2", c.beta2, "of Adam");
  visit("epsilon", c.epsilon, "of Adam");
  visit("weight-decay", c.weight_decay, "decoupled, as in AdamW");
  visit("clip-norm", c.clip_norm, "largest norm of the gradient (0: any)");
  visit("label-smoothing", c.label_smoothing, "spread over the vocabulary");
  visit("r-drop", c.r_drop,
        "learn each sentence twice at a time, and that both predictions agree: R-Drop's alpha (0: "
        "once)");
  visit("r-drop-after", c.r_drop_after, "steps before that begins");
  visit("ema", c.ema,
        "how much of the moving average of the weights stays at each step (0: no average)");
}

template <>
struct EnumNames<ScheduleKind> {
  static constexpr NamedValue<ScheduleKind> values[] = {
      {ScheduleKind::inverse_square_root, "inverse-square-root"},
      {ScheduleKind::cosine, "cosine"},
      {ScheduleKind::linear, "linear"},
      {ScheduleKind::constant, "constant"}};
};

template <>
struct EnumNames<VocabularyKind> {
  static constexpr NamedValue<VocabularyKind> values[] = {
      {VocabularyKind::unigram, "unigram"},
      {VocabularyKind::bpe, "bpe"},
      {VocabularyKind::characters, "characters"},
      {VocabularyKind::words, "words"}};
};

template <>
struct EnumNames<Criterion> {
  static constexpr NamedValue<Criterion> values[] = {{Criterion::cross_entropy, "cross-entropy"},
                                                     {Criterion::perplexity, "perplexity"},
                                                     {Criterion::bleu, "bleu"},
                                                     {Criterion::chrf, "chrf"}};
};

}  // namespace heed
