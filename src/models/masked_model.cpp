#include "heed/models/masked_model.h"

#include "heed/autograd/embedding.h"
#include "heed/base/error.h"

namespace heed {

MaskedModel::MaskedModel(const BertConfig& config, Initialiser init)
    : encoder_(config, init),
      transform_(config.width, config.width, init, {.activation = config.activation}),
      norm_(layer_config(config).make_norm()),
      bias_(Tensor::zeros({config.vocabulary})) {}

Variable MaskedModel::features(Tape& tape, const Batch& batch) const {
  require(batch.places.size() == batch.target.ids.size(),
          "masked model: {} places for {} missing tokens", batch.places.size(),
          batch.target.ids.size());
  const Variable encoded = encoder_.encode(tape, batch.source);
  return norm_(transform_(embed(encoded, batch.places)));
}

int64_t MaskedModel::target_multiplications() const {
  return config().width * (config().width + config().vocabulary);
}

void MaskedModel::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  encoder_.visit_parameters(dotted(prefix, "bert"), visit);
  const std::string head = dotted(prefix, "cls.predictions");
  transform_.visit_parameters(dotted(head, "transform.dense"), visit);
  norm_.visit_parameters(dotted(head, "transform.LayerNorm"), visit);
  visit(dotted(head, "bias"), bias_);
}

}  // namespace heed
