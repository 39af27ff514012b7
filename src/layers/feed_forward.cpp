#include "heed/layers/feed_forward.h"

#include "heed/autograd/arithmetic.h"

namespace heed {

FeedForward::FeedForward(const FeedForwardConfig& config, Initialiser init)
    : inner_(config.width, config.hidden, init,
             {.bias = config.bias, .activation = config.activation}),
      outer_(config.hidden, config.width, init, {.bias = config.bias}),
      dropout_(config.dropout) {
  if (config.gated)
    gate_.emplace(config.width, config.hidden, init, LinearOptions{.bias = config.bias});
}

Variable FeedForward::operator()(const Variable& x) const {
  const Variable active = inner_(x);
  return outer_(dropout_(gate_ ? multiply(active, (*gate_)(x)) : active));
}

FeedForward FeedForward::prepared(Preparation how) const {
  FeedForward copy = *this;
  copy.inner_ = inner_.prepared(how);
  copy.outer_ = outer_.prepared(how);
  if (gate_) copy.gate_ = gate_->prepared(how);
  return copy;
}

void FeedForward::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit_linears(
      prefix, [&](const std::string& name, Linear& layer) { layer.visit_parameters(name, visit); });
}

void FeedForward::visit_linears(std::string_view prefix, const LinearVisitor& visit) {
  visit(dotted(prefix, "fc1"), inner_);
  visit(dotted(prefix, "fc2"), outer_);
  if (gate_) visit(dotted(prefix, "fc3"), *gate_);
}

}  // namespace heed
