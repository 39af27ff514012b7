// Model sizes with matching training settings.
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
// The size of Transformer that suits this many sentence pairs.
std::string_view preset_for(int64_t pairs);

// The preset that was asked for, or that suits this many pairs, with the given settings applied. An
// Error names a setting that is not a number where one was expected, or that the model does not
// have.
Preset chosen_preset(const TrainOptions& options, int64_t pairs);

// An Error for settings that cannot work with any corpus, before hours are spent on a large one.
void refuse_impossible_settings(const TrainOptions& options);

// Calls visit(name, field, description) for every training setting of the command line.
template <typename Visit>
void visit_fields(LearnerConfig& c, Visit&& visit) {
  visit("learning-rate", c.schedule.learning_rate, "Peak learning rate");
  visit("warm-up", c.schedule.warm_up, "Steps of linear warm-up");
  visit("schedule", c.schedule.kind, "How the learning rate decays after the warm-up");
  visit("decay-steps", c.schedule.steps,
        "Step at which cosine and linear decay reach zero (0: --steps)");
  visit("beta1", c.beta1, "Decay of Adam's first moment");
  visit("beta2", c.beta2, "Decay of Adam's second moment");
  visit("epsilon", c.epsilon, "Adam's epsilon");
  visit("weight-decay", c.weight_decay, "Decoupled weight decay, as in AdamW");
  visit("clip-norm", c.clip_norm, "Clip gradients to this norm (0: off)");
  visit("label-smoothing", c.label_smoothing, "Probability spread over the vocabulary");
  visit("r-drop", c.r_drop,
        "Weight of R-Drop: passes with different dropout should agree (0: off)");
  visit("r-drop-after", c.r_drop_after, "Step after which R-Drop starts");
  visit("ema", c.ema, "Decay of the exponential moving average of the weights (0: off)");
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
