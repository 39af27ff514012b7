// What models can do. Each capability is an interface of its own, so that nobody has to implement,
// or to expect, more than it needs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "heed/attention/head_name.h"
#include "heed/attention/recorder.h"
#include "heed/autograd/cross_entropy.h"
#include "heed/autograd/tape.h"
#include "heed/data/batch.h"
#include "heed/layers/parameter.h"
#include "heed/layers/prepared_weight.h"
#include "heed/models/generator.h"

namespace heed {

// It has parameters: it can be saved, loaded, counted and optimised.
class ParameterModel {
 public:
  virtual ~ParameterModel() = default;

  virtual void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) = 0;
};

// The last layer, which scores every word of the target vocabulary: features weightᵀ + bias.
struct OutputLayer {
  Tensor weight;  // (vocabulary, width)
  Tensor bias;    // (vocabulary), or absent
};

// It predicts the next token of given sentences: it can be trained and can score.
class PredictingModel : public ParameterModel {
 public:
  // What the output layer sees: (target tokens, width). Row t knows the whole source and the target
  // tokens before t: the decoder reads the start token and then the target without its last token.
  // Models without an encoder take batches without a source.
  virtual Variable features(Tape& tape, const Batch& batch) const = 0;
  virtual OutputLayer output_layer() const = 0;

  // What is to become small: by default the cross-entropy of the batch's target, summed over its
  // tokens.
  virtual Variable loss(Tape& tape, const Batch& batch,
                        const CrossEntropyOptions& options = {}) const;

  // That cross-entropy from the features.
  Variable loss_of(const Variable& features, const Batch& batch,
                   const CrossEntropyOptions& options) const;

  // The tables of which a pass over the batch looks up rows, with these rows in any order; again
  // for each time. A table that is left out gets its gradient as a whole. A batch without sentences
  // has the tables nevertheless.
  using LookUpVisitor = std::function<void(const Tensor& table, std::span<const int32_t> rows)>;
  virtual void visit_look_ups(const Batch&, const LookUpVisitor&) const {}

  // Multiplications by learned weights, per source and per target token, forward: what the speed of
  // training is measured against.
  virtual int64_t source_multiplications() const = 0;
  virtual int64_t target_multiplications() const = 0;

  // The most tokens that a sentence may have on either side, with its end.
  virtual int64_t max_length() const { return std::numeric_limits<int64_t>::max(); }
};

// It predicts with attention: what each head does can be recorded.
class AttentiveModel : public PredictingModel {
 public:
  virtual HeadCounts head_counts() const = 0;  // of 0 layers where there is no such attention

  // The features, by a pass that reports every attention to the recorder, which may be null.
  virtual Variable recorded_features(Tape& tape, const Batch& batch,
                                     AttentionRecorder* recorder) const = 0;
  Variable features(Tape& tape, const Batch& batch) const final {
    return recorded_features(tape, batch, nullptr);
  }

  // The part of the source sentences that the encoder reads.
  virtual TokenBatch readable(const TokenBatch& source) const { return source; }
};

// It also generates: what `heed train` makes and `heed translate` uses.
class Model : public AttentiveModel {
 public:
  // The same model, sharing its weights, with gates on some heads in whatever it does: a gate of 0
  // switches a head off. Heads that are not named keep the gates that they have. Gates are not
  // saved with a model.
  virtual std::unique_ptr<Model> with_gates(std::span<const HeadGate> gates) const = 0;

  // The same model prepared for inference. It shares what it can with this one, which stays as it
  // is; weights that change afterwards may or may not be seen.
  virtual std::shared_ptr<const Generator> prepare(Precision precision) const = 0;
};

// Scores of every next token: (target tokens, vocabulary).
Variable logits(Tape& tape, const PredictingModel& model, const Batch& batch);

}  // namespace heed
