#include "heed/models/model_config.h"

#include "heed/models/rnn.h"
#include "heed/models/transformer.h"

namespace heed {

std::string_view name_of(const ModelConfig& config) {
  return std::holds_alternative<TransformerConfig>(config) ? "transformer" : "rnn";
}

int64_t source_vocabulary(const ModelConfig& config) {
  return std::visit([](const auto& c) { return c.source_vocabulary; }, config);
}

int64_t target_vocabulary(const ModelConfig& config) {
  return std::visit([](const auto& c) { return c.target_vocabulary; }, config);
}

void set_vocabularies(ModelConfig& config, int64_t source, int64_t target) {
  std::visit(
      [&](auto& c) {
        c.source_vocabulary = source;
        c.target_vocabulary = target;
      },
      config);
}

double fewest_weights(const ModelConfig& config) {
  const auto product = [](auto... sizes) { return (1.0 * ... * static_cast<double>(sizes)); };
  if (const auto* c = std::get_if<TransformerConfig>(&config))
    return product(c->target_vocabulary, c->width) +
           product(c->encoder_layers + c->decoder_layers, c->width, c->width + c->ffn) +
           (c->positions == PositionKind::learned ? product(c->context_length, c->width) : 0) +
           (c->positions == PositionKind::relative ? product(c->heads, c->max_distance) : 0);
  const auto& c = std::get<RnnConfig>(config);
  return product(c.target_vocabulary, c.embedding) +
         product(c.layers, c.hidden + c.encoder_hidden, c.hidden + c.encoder_hidden) / 2;
}

void check(const ModelConfig& config) {
  std::visit([](const auto& chosen) { check(chosen); }, config);
}

std::unique_ptr<Model> make_model(const ModelConfig& config, Initialiser init) {
  if (const auto* transformer = std::get_if<TransformerConfig>(&config))
    return std::make_unique<Transformer>(*transformer, init);
  return std::make_unique<Rnn>(std::get<RnnConfig>(config), init);
}

}  // namespace heed
