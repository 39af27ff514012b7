#include "heed/training/adapted_model.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

namespace {

AdaptableModel& adaptable(Model& model) {
  auto* layers = dynamic_cast<AdaptableModel*>(&model);
  require(layers != nullptr, ErrorKind::usage, "--adapter: only Transformers can have adapters");
  return *layers;
}

}  // namespace

AdaptedModel::AdaptedModel(Model& whole, const AdapterConfig& config, uint64_t seed)
    : LearningPart(whole), layers_(adaptable(whole)) {
  for (const Parameter& parameter : parameters_of(whole)) add_frozen(parameter.value);
  Rng rng(derive_key(make_key(seed), 2));
  layers_.visit_linears([&](const std::string& name, Linear& layer) {
    const int64_t smaller = std::min(layer.inputs(), layer.outputs());
    require(config.rank >= 1 && config.rank < smaller, ErrorKind::usage,
            "--adapter: a rank of {}, but {} allows 1 to {}", config.rank, name, smaller - 1);
    layer.adapt(new_adapter(layer.inputs(), layer.outputs(), config.rank,
                            config.alpha / static_cast<double>(config.rank), rng));
  });
}

void AdaptedModel::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  layers_.visit_linears([&](const std::string& name, Linear& layer) {
    layer.visit_adapter(dotted(prefix, name), visit);
  });
}

}  // namespace heed
