#include "heed/models/model.h"

#include <vector>

#include "heed/autograd/linear.h"

namespace heed {

namespace {

// Each token has the weight of its pair; none if all are 1.
std::vector<float> token_weights(const Batch& batch) {
  std::vector<float> weights;
  for (size_t pair = 0; pair < batch.weights.size(); ++pair)
    weights.insert(weights.end(),
                   static_cast<size_t>(batch.target.layout.length(static_cast<int64_t>(pair))),
                   batch.weights[pair]);
  return weights;
}

}  // namespace

Variable logits(Tape& tape, const PredictingModel& model, const Batch& batch) {
  const OutputLayer output = model.output_layer();
  // First: whoever watches a weight may have to wait for it, and the last layer's come last.
  const Variable features = model.features(tape, batch);
  const Variable bias = output.bias.present() ? tape.watch(output.bias) : Variable();
  return linear(features, tape.watch(output.weight), bias);
}

Variable PredictingModel::loss(Tape& tape, const Batch& batch,
                               const CrossEntropyOptions& options) const {
  return loss_of(features(tape, batch), batch, options);
}

Variable PredictingModel::loss_of(const Variable& features, const Batch& batch,
                                  const CrossEntropyOptions& options) const {
  Tape& tape = features.tape();
  const OutputLayer output = output_layer();
  const Variable bias = output.bias.present() ? tape.watch(output.bias) : Variable();
  const std::vector<float> weights = token_weights(batch);
  CrossEntropyOptions weighted = options;
  weighted.weights = weights;
  return linear_cross_entropy(features, tape.watch(output.weight), bias, batch.target.ids,
                              weighted);
}

}  // namespace heed
