// An encoder that is trained to fill in missing words: BERT with its masked-language head.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/layers/linear.h"
#include "heed/models/bert.h"

namespace heed {

// A batch's source are texts with masks in place of some tokens. Its target are the tokens that
// were there, and batch.places says where. What the encoder makes of a place goes through a linear
// layer, the encoder's activation and a norm; the output layer is the table of words.
//
// Parameters have the names of Hugging Face's BertForMaskedLM: those of the encoder under "bert",
// cls.predictions.transform.dense, cls.predictions.transform.LayerNorm, cls.predictions.bias.
class MaskedModel final : public PredictingModel {
 public:
  MaskedModel(const BertConfig& config, Initialiser init);

  Variable features(Tape& tape, const Batch& batch) const override;
  OutputLayer output_layer() const override { return {encoder_.words(), bias_}; }

  void visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const override {
    visit(encoder_.words(), batch.source.ids);
  }
  int64_t source_multiplications() const override { return encoder_.multiplications_per_token(); }
  int64_t target_multiplications() const override;
  int64_t max_length() const override { return encoder_.config().context_length; }
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;

  const BertConfig& config() const { return encoder_.config(); }
  Bert& encoder() { return encoder_; }
  const Bert& encoder() const { return encoder_; }

 private:
  Bert encoder_;
  Linear transform_;
  Norm norm_;
  Tensor bias_;  // (vocabulary)
};

}  // namespace heed
