#include "heed/models/bert.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/attention/positions.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/dropout.h"
#include "heed/autograd/embedding.h"
#include "heed/autograd/neighbours.h"
#include "heed/base/error.h"
#include "heed/models/int8_rounding.h"

namespace heed {

namespace {

const BertConfig& checked(const BertConfig& config) {
  check(config);
  return config;
}

// What a layer's parameters are called there and in Hugging Face's BertModel.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> names = {{
    {"self_attn.q_proj", "attention.self.query"},
    {"self_attn.k_proj", "attention.self.key"},
    {"self_attn.v_proj", "attention.self.value"},
    {"self_attn.out_proj", "attention.output.dense"},
    {"self_attn_layer_norm", "attention.output.LayerNorm"},
    {"fc1", "intermediate.dense"},
    {"fc2", "output.dense"},
    {"final_layer_norm", "output.LayerNorm"},
}};

std::string renamed(const std::string& parameter) {
  const size_t dot = parameter.rfind('.');  // before "weight" or "bias"
  const auto* found = std::ranges::find(names, std::string_view(parameter).substr(0, dot),
                                        &decltype(names)::value_type::first);
  return std::string(found->second) + parameter.substr(dot);
}

}  // namespace

LayerConfig layer_config(const BertConfig& config) {
  return {.width = config.width,
          .ffn = config.ffn,
          .heads = config.heads,
          .activation = config.activation,
          .norm_epsilon = config.norm_epsilon,
          .dropout = config.dropout,
          .attention_dropout = config.attention_dropout};
}

void check(const BertConfig& config) {
  require(config.vocabulary >= 1 && config.types >= 1 && config.layers >= 1 &&
              config.context_length >= 1,
          "bert: a vocabulary of {}, {} types of tokens, {} layers and a context length of {}, but "
          "each must be at least 1",
          config.vocabulary, config.types, config.layers, config.context_length);
  require(config.convolution == 0 || (config.convolution > 0 && config.convolution % 2 == 1),
          "bert: a convolution of {} tokens but an odd number was expected, or 0 for none",
          config.convolution);
  check(layer_config(config), "bert");
}

double fewest_weights(const BertConfig& config) {
  const auto number = [](int64_t size) { return static_cast<double>(size); };
  return number(config.width) *
             (number(config.vocabulary) + number(config.context_length) + number(config.types)) +
         number(config.width) * number(config.width) * number(config.convolution) +
         number(config.layers) * number(config.width) *
             (4 * number(config.width) + 2 * number(config.ffn));
}

Bert::Bert(const BertConfig& config, Initialiser init)
    : config_(checked(config)), norm_(layer_config(config).make_norm()) {
  constexpr double deviation = 0.02;  // as in the paper's code
  words_ = init.normal({config.vocabulary, config.width}, deviation);
  types_ = init.normal({config.types, config.width}, deviation);
  positions_ = init.normal({config.context_length, config.width}, deviation);
  if (config.convolution > 0)
    convolution_ = Convolution{.dense = Linear(config.convolution * config.width, config.width,
                                               init, {.activation = config.activation}),
                               .block = ResidualBlock(layer_config(config))};
  for (int64_t i = 0; i < config.layers; ++i) layers_.emplace_back(layer_config(config), init);
}

Variable Bert::embedded(Tape& tape, const TokenBatch& tokens) const {
  require(tokens.layout.longest() <= config_.context_length,
          "bert: a text of {} tokens, but the model reads at most {}", tokens.layout.longest(),
          config_.context_length);
  const std::vector<int32_t> first_type(tokens.ids.size(), 0);
  const Variable typed =
      add(embed(tape.watch_rows(words_), tokens.ids), embed(tape.watch(types_), first_type));
  return dropout(norm_(add_positions(typed, tokens.layout, tape.watch(positions_))),
                 config_.dropout);
}

Variable Bert::encode_embedded(const Variable& embedded, const Ragged& layout,
                               AttentionRecorder* recorder) const {
  Variable x = embedded;
  if (convolution_)
    x = convolution_->block(x, [&](const Variable& tokens) {
      return convolution_->dense(neighbours(tokens, layout, config_.convolution / 2));
    });
  for (size_t i = 0; i < layers_.size(); ++i)
    x = layers_[i](x, layout, place_for(recorder, AttentionPart::encoder, i));
  return x;
}

Variable Bert::encode(Tape& tape, const TokenBatch& tokens, AttentionRecorder* recorder) const {
  return encode_embedded(embedded(tape, tokens), tokens.layout, recorder);
}

int64_t Bert::multiplications_per_token() const {
  const LayerMultiplications layer = multiplications(layer_config(config_));
  return config_.convolution * config_.width * config_.width +
         config_.layers * (layer.keys_and_values + layer.queries_and_output + layer.feed_forward);
}

HeadCounts Bert::head_counts() const {
  return {.encoder_layers = config_.layers, .heads = config_.heads};
}

std::unique_ptr<EncodingModel> Bert::with_gates(std::span<const HeadGate> gates) const {
  auto copy = std::make_unique<Bert>(*this);
  for (size_t i = 0; i < copy->layers_.size(); ++i)
    put_gates(copy->layers_[i].self(), AttentionPart::encoder, i, gates, head_counts());
  return copy;
}

std::unique_ptr<const EncodingModel> Bert::prepare(Precision precision) const {
  auto copy = std::make_unique<Bert>(*this);
  const Preparation how(precision, Rows::many);
  if (copy->convolution_) copy->convolution_->dense = copy->convolution_->dense.prepared(how);
  for (SelfAttentionLayer& layer : copy->layers_) layer = layer.prepared(how);
  if (precision == Precision::int8) round_to_int8(*copy);  // the tables
  return copy;
}

void Bert::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  const std::string embeddings = dotted(prefix, "embeddings");
  visit(dotted(embeddings, "word_embeddings.weight"), words_);
  visit(dotted(embeddings, "position_embeddings.weight"), positions_);
  visit(dotted(embeddings, "token_type_embeddings.weight"), types_);
  norm_.visit_parameters(dotted(embeddings, "LayerNorm"), visit);
  if (convolution_) {
    const std::string convolution = dotted(prefix, "encoder.convolution");
    convolution_->dense.visit_parameters(dotted(convolution, "dense"), visit);
    convolution_->block.visit_parameters(dotted(convolution, "LayerNorm"), visit);
  }
  for (size_t i = 0; i < layers_.size(); ++i) {
    const std::string layer = dotted(prefix, fmt::format("encoder.layer.{}", i));
    layers_[i].visit_parameters({}, [&](const std::string& name, Tensor& value) {
      visit(dotted(layer, renamed(name)), value);
    });
  }
}

}  // namespace heed
