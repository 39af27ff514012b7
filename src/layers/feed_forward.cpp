#include "heed/layers/feed_forward.h"

#include "heed/autograd/arithmetic.h"

namespace heed {

FeedForward::FeedForward(const FeedForwardConfig& config, Rng& rng)
    : inner_(config.width, config.hidden, rng,
             {.bias = config.bias, .activation = config.activation}),
      outer_(config.hidden, config.width, rng, {.bias = config.bias}),
      dropout_(config.dropout) {
  if (config.gated)
    gate_.emplace(config.width, config.hidden, rng, LinearOptions{.bias = config.bias});
}

Variable FeedForward::operator()(const Variable& x) const {
  const Variable active = inner_(x);
  return outer_(dropout_(gate_ ? multiply(active, (*gate_)(x)) : active));
}

void FeedForward::make_ready(Precision precision) {
  inner_.make_ready(precision);
  outer_.make_ready(precision);
  if (gate_) gate_->make_ready(precision);
}

void FeedForward::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  inner_.visit_parameters(dotted(prefix, "fc1"), visit);
  outer_.visit_parameters(dotted(prefix, "fc2"), visit);
  if (gate_) gate_->visit_parameters(dotted(prefix, "fc3"), visit);
}

}  // namespace heed
