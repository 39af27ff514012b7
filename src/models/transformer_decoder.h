// A Transformer's hypotheses, growing token by token.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "heed/models/hypotheses.h"
#include "heed/models/transformer_generator.h"

namespace heed {

class TransformerDecoder final : public Decoder {
 public:
  explicit TransformerDecoder(const TransformerGenerator& generator);

  int64_t hypotheses() const override { return hypotheses_.count(); }
  void add(const TokenBatch& source, std::optional<AttentionChoice> attention) override;
  bool scores_candidates() const override { return true; }
  void set_candidates(const std::vector<std::vector<int32_t>>& of_next) override {
    next_candidates_ = of_next;
  }
  Tensor step(std::span<const int32_t> tokens) override;
  void select(std::span<const int64_t> from) override;
  Tensor attention() const override { return attention_; }

  // From now on, every step reports the weights of its attentions, or no longer if null: those of
  // the source cohort by cohort, since sentences that joined together are asked together.
  void record_steps(AttentionRecorder* recorder) { recorder_ = recorder; }

 private:
  // Sentences that joined together. What the encoder found of them stays in one piece until the
  // last of them has left.
  struct Cohort {
    int64_t first_sentence, end_sentence;
    std::vector<KeyValues> source;  // per layer
    Ragged grouping;                // how many hypotheses each sentence has
    int64_t longest_source;         // with the ends, which may not be read
    std::optional<AttentionChoice> attention;
  };

  // The part of the output layer that a sentence with candidates needs.
  struct Outputs {
    PreparedWeight weight;
    Tensor bias;
    int64_t count;
  };

  void choose_outputs(int64_t first_sentence, int64_t sentences);
  Tensor scores_of(const Variable& x) const;
  bool looked_at_in(const Cohort& cohort, size_t layer) const;
  std::vector<AskedMemory> sources(size_t layer, std::vector<Tensor>& weights) const;
  void keep_attention(const std::vector<Tensor>& weights, size_t layer);
  Tensor positions();  // what is added to the tokens for them, as far as any hypothesis has come

  const TransformerGenerator& generator_;
  const Transformer& model_;
  Tape encoder_tape_, source_tape_;
  mutable Tape step_tape_;  // what a step computes lives there
  std::vector<Cohort> cohorts_;
  KeyValueCache cache_;
  Hypotheses hypotheses_;
  Tensor sinusoids_;  // beyond those that the model has at hand
  Tensor attention_;
  std::vector<std::vector<int32_t>> next_candidates_;
  std::map<int64_t, Outputs> outputs_;  // of the sentences with candidates
  AttentionRecorder* recorder_ = nullptr;
};

}  // namespace heed
