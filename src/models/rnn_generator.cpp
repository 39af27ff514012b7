#include "heed/models/rnn_generator.h"

#include "heed/base/error.h"

namespace heed {

namespace {

// The tensors themselves, whose memory is the tape's, in memory of their own.
std::vector<Tensor> kept(const std::vector<Variable>& variables) {
  std::vector<Tensor> tensors;
  for (const Variable& variable : variables) tensors.push_back(variable.value().clone());
  return tensors;
}

}  // namespace

RnnGenerator::RnnGenerator(const Rnn& model, Precision precision)
    : model_(model.prepared_layers(precision)), weights_([&] {
        Tape tape({.record = false});
        return RnnDecoderWeights::of(model_.target_embedding(), model_.attentive_weights(tape),
                                     model_.config().context_width(), model_.readout_,
                                     model_.output_layer(), precision);
      }()) {}

std::unique_ptr<Decoder> RnnGenerator::make_decoder() const {
  return std::make_unique<RnnDecoder>(weights_,
                                      [this](const TokenBatch& source) { return encode(source); });
}

RnnSource RnnGenerator::encode(const TokenBatch& source) const {
  Tape tape({.record = false, .arenas = arenas_.get()});
  const Rnn::Encoded encoded = model_.encode(tape, source);
  const bool attends = model_.score_.has_value();
  return {.layout = source.layout,
          .keys = attends ? model_.project_keys(encoded.outputs).value().clone() : Tensor(),
          .values = (attends ? model_.gated_values(encoded.outputs) : encoded.last).value().clone(),
          .hidden = kept(encoded.start.hidden),
          .cells = kept(encoded.start.cells)};
}

}  // namespace heed
