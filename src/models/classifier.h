// A classifier of texts: an encoder, pooling, and a linear layer that scores each label.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "heed/layers/linear.h"
#include "heed/models/bert.h"
#include "heed/models/classifier_config.h"

namespace heed {

// A batch's source are the texts. Its target has one label for each text; where a text may have
// several, it has an answer for each label: 1 if the text has it, otherwise 0.
//
// Parameters: those of the encoder under "bert", bert.pooler.dense or pooling.query where pooling
// needs them, and classifier.weight and classifier.bias.
class Classifier final : public PredictingModel {
 public:
  Classifier(const ClassifierConfig& config, Initialiser init);

  // One vector for each text: (texts, width).
  Variable features(Tape& tape, const Batch& batch) const override;
  OutputLayer output_layer() const override { return {output_.weight(), output_.bias()}; }
  // The cross-entropy of the texts' labels, or of all answers, summed: one number.
  Variable loss(Tape& tape, const Batch& batch,
                const CrossEntropyOptions& options = {}) const override;

  // What an encoder made of the texts' tokens (tokens, width) -> (texts, labels).
  Variable logits_of(const Variable& encoded, const Ragged& layout) const;
  // The weights of the tokens in the vectors of their texts, if pooling is by attention: (tokens).
  std::optional<Tensor> pooling_weights(const Variable& encoded, const Ragged& layout) const;

  void visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const override {
    visit(encoder_.words(), batch.source.ids);
  }
  int64_t source_multiplications() const override;
  int64_t target_multiplications() const override;
  int64_t max_length() const override { return config_.encoder.context_length; }
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;

  const ClassifierConfig& config() const { return config_; }
  Bert& encoder() { return encoder_; }
  const Bert& encoder() const { return encoder_; }

 private:
  Variable pooled(const Variable& encoded, const Ragged& layout) const;

  ClassifierConfig config_;
  Bert encoder_;
  std::optional<Linear> pooler_;
  Tensor query_;  // (width), or absent
  Linear output_;
};

}  // namespace heed
