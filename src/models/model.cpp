#include "heed/models/model.h"

#include "heed/autograd/linear.h"

namespace heed {

Variable logits(Tape& tape, const PredictingModel& model, const Batch& batch) {
  const OutputLayer output = model.output_layer();
  const Variable bias = output.bias.present() ? tape.watch(output.bias) : Variable();
  return linear(model.features(tape, batch), tape.watch(output.weight), bias);
}

Variable PredictingModel::loss(Tape& tape, const Batch& batch,
                               const CrossEntropyOptions& options) const {
  const OutputLayer output = output_layer();
  const Variable bias = output.bias.present() ? tape.watch(output.bias) : Variable();
  return linear_cross_entropy(features(tape, batch), tape.watch(output.weight), bias,
                              batch.target.ids, options);
}

}  // namespace heed
