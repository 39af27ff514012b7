#include "heed/models/model_config.h"

#include "heed/models/language_model.h"
#include "heed/models/rnn.h"
#include "heed/models/transformer.h"

namespace heed {

std::string_view name_of(const ModelConfig& config) {
  if (std::holds_alternative<LanguageModelConfig>(config)) return "language-model";
  return std::holds_alternative<TransformerConfig>(config) ? "transformer" : "rnn";
}

int64_t source_vocabulary(const ModelConfig& config) {
  if (const auto* c = std::get_if<LanguageModelConfig>(&config)) return c->vocabulary;
  if (const auto* c = std::get_if<RnnConfig>(&config)) return c->source_vocabulary;
  return std::get<TransformerConfig>(config).source_vocabulary;
}

int64_t target_vocabulary(const ModelConfig& config) {
  if (const auto* c = std::get_if<LanguageModelConfig>(&config)) return c->vocabulary;
  if (const auto* c = std::get_if<RnnConfig>(&config)) return c->target_vocabulary;
  return std::get<TransformerConfig>(config).target_vocabulary;
}

void set_vocabularies(ModelConfig& config, int64_t source, int64_t target) {
  if (auto* c = std::get_if<LanguageModelConfig>(&config)) {
    c->vocabulary = target;
  } else if (auto* rnn = std::get_if<RnnConfig>(&config)) {
    rnn->source_vocabulary = source, rnn->target_vocabulary = target;
  } else {
    auto& transformer = std::get<TransformerConfig>(config);
    transformer.source_vocabulary = source, transformer.target_vocabulary = target;
  }
}

double fewest_weights(const ModelConfig& config) {
  const auto product = [](auto... sizes) { return (1.0 * ... * static_cast<double>(sizes)); };
  if (const auto* c = std::get_if<TransformerConfig>(&config))
    return product(c->target_vocabulary, c->width) +
           product(c->encoder_layers, c->width, c->width + c->ffn) +
           product(c->decoder_layers, c->width,
                   c->width + (c->decoder_ffn == 0 ? c->ffn : c->decoder_ffn)) +
           (c->positions == PositionKind::learned ? product(c->context_length, c->width) : 0) +
           (c->positions == PositionKind::relative ? product(c->heads, c->max_distance) : 0);
  if (const auto* c = std::get_if<LanguageModelConfig>(&config))
    return product(c->vocabulary, c->width) + product(c->layers, c->width, c->width + c->ffn) +
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
  if (const auto* language = std::get_if<LanguageModelConfig>(&config))
    return std::make_unique<LanguageModel>(*language, init);
  return std::make_unique<Rnn>(std::get<RnnConfig>(config), init);
}

}  // namespace heed
