// The interface of sequence-to-sequence models for training and decoding.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "heed/autograd/cross_entropy.h"
#include "heed/autograd/tape.h"
#include "heed/data/batch.h"
#include "heed/layers/parameter.h"
#include "heed/layers/ready_weight.h"

namespace heed {

// The last layer, which scores every word of the target vocabulary: features weightᵀ + bias.
struct OutputLayer {
  Tensor weight;  // (vocabulary, width)
  Tensor bias;    // (vocabulary), or absent
};

// Hypotheses that grow token by token, grouped by sentence, in the order of the sentences. At the
// start there is one empty hypothesis for each sentence.
class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual int64_t hypotheses() const = 0;

  // Appends a token to each hypothesis (at the first step: the start token) and scores the next
  // one: logits (hypotheses, vocabulary), valid until the next call.
  virtual Tensor step(std::span<const int32_t> tokens) = 0;

  // Hypothesis i becomes a copy of what hypothesis `from[i]` was; the others are dropped. The
  // sentences of `from` do not decrease.
  virtual void select(std::span<const int64_t> from) = 0;

  // The weights that the last step gave to the source tokens in the chosen layer and head:
  // (hypotheses, longest source), zeros beyond each sentence's end. Absent for models without
  // attention and if not wanted.
  virtual Tensor attention() const = 0;
};

// Which attention weights to return. Both are counted from 1.
struct AttentionChoice {
  int layer = 0;  // 0 for the last
  int head = 0;   // 0 for the mean of all
};

struct DecoderOptions {
  bool want_attention = false;
  AttentionChoice attention = {};
};

class Model {
 public:
  virtual ~Model() = default;

  // The input of the output layer: (target tokens, width). Row t knows the whole source and the
  // target tokens before t: the decoder reads the start token and then the target without its last
  // token.
  virtual Variable features(Tape& tape, const Batch& batch) const = 0;
  virtual OutputLayer output_layer() const = 0;

  // A decoder for a batch of source sentences. Any number may run at once, on any threads.
  virtual std::unique_ptr<Decoder> decode(const TokenBatch& source,
                                          const DecoderOptions& options = {}) const = 0;

  // The memory that decoders work in.
  ArenaPool& arenas() const { return *arenas_; }

  // The most tokens that a sentence may have on either side, including its end.
  virtual int64_t context_length() const { return std::numeric_limits<int64_t>::max(); }

  // Packs the weights for decoding. The model can no longer be trained or saved.
  virtual void make_ready(Precision precision) = 0;

  virtual void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) = 0;

  // Multiplications by learned weights, per source and per target token, forward: what the speed of
  // training is measured against.
  virtual int64_t source_multiplications() const = 0;
  virtual int64_t target_multiplications() const = 0;

 private:
  std::shared_ptr<ArenaPool> arenas_ = ArenaPool::make();
};

// Scores of every next token: (target tokens, vocabulary).
Variable logits(Tape& tape, const Model& model, const Batch& batch);

// The cross-entropy of the batch's target, summed over its tokens: one number.
Variable loss(Tape& tape, const Model& model, const Batch& batch,
              const CrossEntropyOptions& options = {});

}  // namespace heed
