#include "heed/models/language_model_generator.h"

#include "heed/models/language_model_decoder.h"

namespace heed {

LanguageModelGenerator::LanguageModelGenerator(const LanguageModel& model, Precision precision)
    : model_(model.prepared_layers(precision)), output_(model.output_layer().weight, precision) {}

std::unique_ptr<Decoder> LanguageModelGenerator::make_decoder() const {
  return std::make_unique<LanguageModelDecoder>(*this);
}

}  // namespace heed
