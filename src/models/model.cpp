#include "heed/models/model.h"

#include "heed/autograd/linear.h"

namespace heed {

Variable logits(Tape& tape, const PredictingModel& model, const Batch& batch) {
  const OutputLayer output = model.output_layer();
  const Variable features = model.features(tape, batch);
  const Variable bias = output.bias.present() ? tape.watch(output.bias) : Variable();
  return linear(features, tape.watch(output.weight), bias);
}

Variable PredictingModel::loss(Tape& tape, const Batch& batch,
                               const CrossEntropyOptions& options) const {
  const OutputLayer output = output_layer();
  // First: whoever watches a weight may have to wait for it, and the last layer's come last.
  const Variable last = features(tape, batch);
  const Variable bias = output.bias.present() ? tape.watch(output.bias) : Variable();
  return linear_cross_entropy(last, tape.watch(output.weight), bias, batch.target.ids, options);
}

}  // namespace heed
