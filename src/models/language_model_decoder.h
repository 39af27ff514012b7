// Texts that a language model continues, token by token.
#pragma once

#include "heed/models/hypotheses.h"
#include "heed/models/language_model_generator.h"

namespace heed {

// The source of a sentence is the beginning of its text. It is read in one pass when the sentence
// joins; its hypotheses share its keys and values.
class LanguageModelDecoder final : public Decoder {
 public:
  explicit LanguageModelDecoder(const LanguageModelGenerator& generator);

  int64_t hypotheses() const override { return hypotheses_.count(); }
  void add(const TokenBatch& source, std::optional<AttentionChoice> attention) override;
  Tensor step(std::span<const int32_t> tokens) override;
  void select(std::span<const int64_t> from) override;
  Tensor attention() const override { return {}; }  // there is no source to attend to

  // From now on, every step reports the weights of its attentions, or no longer if null.
  void record_steps(AttentionRecorder* recorder) { recorder_ = recorder; }

 private:
  // What the layers make of the next tokens of each hypothesis.
  Variable read(const TokenBatch& tokens);

  const LanguageModelGenerator& generator_;
  const LanguageModel& model_;
  Tape tape_;
  KeyValueCache cache_;
  Hypotheses hypotheses_;
  AttentionRecorder* recorder_ = nullptr;
};

}  // namespace heed
