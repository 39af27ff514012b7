#include "heed/models/ssru_layer.h"

#include "heed/autograd/ssru.h"
#include "heed/kernels/activation.h"

namespace heed {

SsruLayer::SsruLayer(int64_t width, Initialiser init)
    : candidates_(width, width, init, {.bias = false}), gates_(width, width, init) {}

Variable SsruLayer::operator()(const Variable& x, const Ragged& layout) const {
  return ssru(candidates_(x), gates_(x), layout);
}

CacheSizes SsruLayer::cache_sizes(int64_t layers) const {
  return {.layers = layers, .key_width = gates_.outputs(), .value_width = 0};
}

Variable SsruLayer::step(const Variable& x, KeyValueCache& cache, int64_t layer) const {
  Tape& tape = x.tape();
  const Tensor candidates = candidates_(x).value();
  Tensor f = gates_(x).value();
  kernels::activate(kernels::Activation::sigmoid, f.span<float>(), f.span<float>());
  Tensor outputs = tape.allocate(x.shape(), x.type());
  const Ragged& added = cache.added();
  for (int64_t s = 0; s < added.sequences(); ++s)
    for (int64_t t = added.begin(s); t < added.end(s); ++t) {
      const int64_t position = cache.length(s) - (added.end(s) - t);
      const float* before = position == 0 ? nullptr : cache.key_of(layer, s, position - 1).data();
      ssru_step(candidates.row<float>(t), f.row<float>(t), before, cache.key_of(layer, s, position),
                outputs.row<float>(t));
    }
  return tape.constant(outputs);
}

void SsruLayer::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit_linears(
      prefix, [&](const std::string& name, Linear& layer) { layer.visit_parameters(name, visit); });
}

void SsruLayer::visit_linears(std::string_view prefix, const LinearVisitor& visit) {
  visit(dotted(prefix, "candidates"), candidates_);
  visit(dotted(prefix, "gates"), gates_);
}

SsruLayer SsruLayer::prepared(Preparation how) const {
  SsruLayer copy = *this;
  copy.candidates_ = candidates_.prepared(how);
  copy.gates_ = gates_.prepared(how);
  return copy;
}

}  // namespace heed
