#include "heed/models/transformer.h"

#include "heed/base/error.h"
#include "heed/layers/initialisation.h"
#include "heed/models/stored_weights.h"
#include "heed/models/transformer_decoder.h"

namespace heed {

namespace {

constexpr int64_t sinusoids_at_hand = 256;

Embedding make_embedding(int64_t vocabulary, int64_t width, Rng& rng) {
  return Embedding(vocabulary, width, rng, {.scaled = true});
}

const TransformerConfig& checked(const TransformerConfig& config) {
  check(config);
  return config;
}

}  // namespace

void check(const TransformerConfig& config) {
  require(config.source_vocabulary >= 3 && config.target_vocabulary >= 3,
          "transformer: vocabularies of {} and {} but at least 3 was expected",
          config.source_vocabulary, config.target_vocabulary);
  require(
      config.tied != TiedEmbeddings::all || config.source_vocabulary == config.target_vocabulary,
      "transformer: all embeddings are tied, but the vocabularies have {} and {} words",
      config.source_vocabulary, config.target_vocabulary);
  require(config.encoder_layers >= 1 && config.decoder_layers >= 1,
          "transformer: {} encoder layers and {} decoder layers but at least 1 was expected",
          config.encoder_layers, config.decoder_layers);
  require(config.ffn >= 1, "transformer: an FFN size of {} but at least 1 was expected",
          config.ffn);
  require(config.width >= 1 && config.heads >= 1 && config.width % config.heads == 0,
          "transformer: {} heads do not divide a width of {}", config.heads, config.width);
  for (const double rate : {config.dropout, config.embedding_dropout, config.activation_dropout,
                            config.attention_dropout})
    require(rate >= 0.0 && rate < 1.0,
            "transformer: a dropout of {} but 0 <= rate < 1 was expected", rate);
  const int64_t kv_heads = config.kv_heads == 0 ? config.heads : config.kv_heads;
  require(kv_heads >= 1 && config.heads % kv_heads == 0,
          "transformer: {} KV heads do not divide {} heads", config.kv_heads, config.heads);
  require(config.positions != PositionKind::learned || config.context_length >= 1,
          "transformer: learned positions for {} tokens but at least 1 was expected",
          config.context_length);
  require(config.positions != PositionKind::relative || config.max_distance >= 0,
          "transformer: relative positions with a maximum distance of {}", config.max_distance);
  require(config.positions != PositionKind::rotary || config.width / config.heads % 2 == 0,
          "transformer: rotary positions need an even head width but it is {}",
          config.width / config.heads);
}

Transformer::Transformer(const TransformerConfig& config, Rng& rng)
    : config_(checked(config)),
      target_embedding_(make_embedding(config.target_vocabulary, config.width, rng)),
      output_bias_(Tensor::zeros({config.target_vocabulary})) {
  if (config.tied != TiedEmbeddings::all)
    source_embedding_ = make_embedding(config.source_vocabulary, config.width, rng);
  if (config.tied == TiedEmbeddings::none)
    output_weight_ = xavier_uniform(config.target_vocabulary, config.width, rng);
  if (config.positions == PositionKind::learned) {
    source_positions_ = normal_numbers({config.context_length, config.width}, 0.02, rng);
    target_positions_ = normal_numbers({config.context_length, config.width}, 0.02, rng);
  }
  if (config.positions == PositionKind::sinusoidal)
    sinusoids_ = sinusoidal_positions(sinusoids_at_hand, config.width, SinusoidOrder::sines_first);
  for (int64_t i = 0; i < config.encoder_layers; ++i) encoder_.emplace_back(config_, rng);
  for (int64_t i = 0; i < config.decoder_layers; ++i) decoder_.emplace_back(config_, rng);
  if (config.norm == NormPlacement::pre) {
    encoder_norm_.emplace(config.width);
    decoder_norm_.emplace(config.width);
  }
}

bool Transformer::adds_positions_at(int64_t layer) const {
  return layer == 0 || config_.placement == PositionPlacement::every_layer;
}

Variable Transformer::with_positions(const Variable& x, const Ragged& layout, const Tensor& learned,
                                     int64_t first) const {
  Tape& tape = x.tape();
  if (learned.present()) return add_positions(x, layout, tape.watch(learned), first);
  if (config_.positions != PositionKind::sinusoidal) return x;
  const bool at_hand =
      first + layout.longest() <= sinusoids_.shape()[0] && sinusoids_.type() == x.type();
  if (at_hand) return add_positions(x, layout, tape.constant(sinusoids_), first);
  // Only those that are needed: a decoder needs one more at each step.
  const Tensor table = sinusoidal_positions(layout.longest(), config_.width,
                                            SinusoidOrder::sines_first, x.type(), first);
  return add_positions(x, layout, tape.constant(table));
}

Variable Transformer::embed(Tape& tape, const Embedding& table, const Tensor& positions,
                            const TokenBatch& tokens, int64_t first) const {
  return dropout(with_positions(table(tape, tokens.ids), tokens.layout, positions, first),
                 config_.embedding_dropout);
}

TokenBatch Transformer::readable(const TokenBatch& source) const {
  return config_.source_end ? source : without_ends(source);
}

Variable Transformer::encode(Tape& tape, const TokenBatch& readable) const {
  const Embedding& table = source_embedding_ ? *source_embedding_ : target_embedding_;
  Variable x = embed(tape, table, source_positions_, readable);
  for (size_t i = 0; i < encoder_.size(); ++i) {
    if (i > 0 && adds_positions_at(static_cast<int64_t>(i)))
      x = with_positions(x, readable.layout, source_positions_, 0);
    x = encoder_[i](x, readable.layout);
  }
  return encoder_norm_ ? (*encoder_norm_)(x) : x;
}

Variable Transformer::features(Tape& tape, const Batch& batch) const {
  require(batch.source.layout.sequences() == batch.sentences(),
          "transformer: {} source sentences but {} target sentences",
          batch.source.layout.sequences(), batch.sentences());
  const TokenBatch source = readable(batch.source);
  const Variable encoded = encode(tape, source);
  const TokenBatch inputs =
      shifted_right(batch.target, static_cast<int32_t>(config_.target_vocabulary) - 1);
  Variable x = embed(tape, target_embedding_, target_positions_, inputs);
  for (size_t i = 0; i < decoder_.size(); ++i) {
    if (i > 0 && adds_positions_at(static_cast<int64_t>(i)))
      x = with_positions(x, inputs.layout, target_positions_, 0);
    x = decoder_[i](x, inputs.layout, decoder_[i].project_source(encoded, source.layout));
  }
  return decoder_norm_ ? (*decoder_norm_)(x) : x;
}

OutputLayer Transformer::output_layer() const {
  require(!ready_output_.present(),
          "a model that is ready to translate has no weights to look at any more");
  return {output_weight_.present() ? output_weight_ : target_embedding_.table(), output_bias_};
}

Variable Transformer::score_words(const Variable& features) const {
  if (ready_output_.present()) return ready_output_(features, output_bias_);
  const OutputLayer output = output_layer();
  Tape& tape = features.tape();
  return linear(features, tape.constant(output.weight), tape.constant(output.bias));
}

void Transformer::make_ready(Precision precision) {
  for (EncoderLayer& layer : encoder_) layer.make_ready(precision);
  for (DecoderLayer& layer : decoder_) layer.make_ready(precision);
  const Tensor weight = output_layer().weight;
  ready_output_ = ReadyWeight(weight, precision);
  output_weight_ = {};
  if (precision == Precision::int8) round_to_int8(*this);  // the tables of words and positions
}

int64_t Transformer::context_length() const {
  return config_.positions == PositionKind::learned ? config_.context_length
                                                    : Model::context_length();
}

std::unique_ptr<Decoder> Transformer::decode(const TokenBatch& source,
                                             const DecoderOptions& options) const {
  return std::make_unique<TransformerDecoder>(*this, source, options);
}

void Transformer::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  const std::string model = dotted(prefix, "model");
  if (source_embedding_) {
    source_embedding_->visit_parameters(dotted(model, "encoder.embed_tokens"), visit);
    target_embedding_.visit_parameters(dotted(model, "decoder.embed_tokens"), visit);
  } else {
    target_embedding_.visit_parameters(dotted(model, "shared"), visit);
  }
  if (source_positions_.present()) {
    visit(dotted(model, "encoder.embed_positions.weight"), source_positions_);
    visit(dotted(model, "decoder.embed_positions.weight"), target_positions_);
  }
  for (size_t i = 0; i < encoder_.size(); ++i)
    encoder_[i].visit_parameters(dotted(model, fmt::format("encoder.layers.{}", i)), visit);
  if (encoder_norm_) encoder_norm_->visit_parameters(dotted(model, "encoder.layer_norm"), visit);
  for (size_t i = 0; i < decoder_.size(); ++i)
    decoder_[i].visit_parameters(dotted(model, fmt::format("decoder.layers.{}", i)), visit);
  if (decoder_norm_) decoder_norm_->visit_parameters(dotted(model, "decoder.layer_norm"), visit);
  if (output_weight_.present()) visit(dotted(prefix, "lm_head.weight"), output_weight_);
  visit(dotted(prefix, "final_logits_bias"), output_bias_);
}

// Of the projections of keys and values, and of queries and outputs.
int64_t Transformer::attention_weights() const {
  const int64_t kv_heads = config_.kv_heads == 0 ? config_.heads : config_.kv_heads;
  return config_.width * (config_.width / config_.heads) * kv_heads;
}

int64_t Transformer::source_multiplications() const {
  const int64_t ffn = (config_.gated ? 3 : 2) * config_.width * config_.ffn;
  const int64_t keys_and_values = 2 * attention_weights(),
                queries_and_output = 2 * config_.width * config_.width;
  return config_.encoder_layers * (keys_and_values + queries_and_output + ffn) +
         config_.decoder_layers * keys_and_values;
}

int64_t Transformer::target_multiplications() const {
  const int64_t ffn = (config_.gated ? 3 : 2) * config_.width * config_.ffn;
  const int64_t keys_and_values = 2 * attention_weights(),
                queries_and_output = 2 * config_.width * config_.width;
  return config_.decoder_layers * (keys_and_values + 2 * queries_and_output + ffn) +
         config_.width * config_.target_vocabulary;
}

}  // namespace heed
