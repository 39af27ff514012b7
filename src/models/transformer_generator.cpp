#include "heed/models/transformer_generator.h"

#include "heed/models/transformer_decoder.h"

namespace heed {

TransformerGenerator::TransformerGenerator(const Transformer& model, Precision precision)
    : model_(model.prepared_layers(precision)),
      output_(model.output_layer().weight, precision),
      output_table_(model.output_layer().weight) {}

std::unique_ptr<Decoder> TransformerGenerator::make_decoder() const {
  return std::make_unique<TransformerDecoder>(*this);
}

}  // namespace heed
