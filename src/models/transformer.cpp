#include "heed/models/transformer.h"

#include <algorithm>

#include "heed/autograd/arithmetic.h"
#include "heed/base/error.h"
#include "heed/data/vocabulary.h"
#include "heed/models/int8_rounding.h"
#include "heed/models/transformer_generator.h"

namespace heed {

namespace {

constexpr int64_t sinusoids_at_hand = 256;

Embedding make_embedding(int64_t vocabulary, int64_t width, Initialiser init) {
  return Embedding(vocabulary, width, init, {.scaled = true});
}

Tensor sinusoids(const TransformerConfig& config, int64_t positions, Type type) {
  return sinusoidal_positions(positions, config.width, SinusoidOrder::sines_first, type, 0,
                              config.sinusoids);
}

// Zeros in place of what stands for this id, whose vector then learns nothing.
Variable without_rows_of(int32_t id, std::span<const int32_t> ids, const Variable& rows) {
  if (std::ranges::find(ids, id) == ids.end()) return rows;
  Tensor kept = rows.tape().allocate(rows.shape(), rows.type());
  kept.fill(1);
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    if (ids[i] == id) kept.slice(row, row + 1).fill(0);
  }
  return multiply(rows, rows.tape().constant(kept));
}

const TransformerConfig& checked(const TransformerConfig& config) {
  check(config);
  return config;
}

}  // namespace

LayerConfig layer_config(const TransformerConfig& config) {
  return {.width = config.width,
          .ffn = config.ffn,
          .heads = config.heads,
          .kv_heads = config.kv_heads,
          .activation = config.activation,
          .gated = config.gated,
          .norm = config.norm,
          .norm_epsilon = config.norm_epsilon,
          .positions = config.positions,
          .max_distance = config.max_distance,
          .dropout = config.dropout,
          .activation_dropout = config.activation_dropout,
          .attention_dropout = config.attention_dropout};
}

LayerConfig decoder_layer_config(const TransformerConfig& config) {
  LayerConfig layer = layer_config(config);
  if (config.decoder_ffn != 0) layer.ffn = config.decoder_ffn;
  layer.autoregression = config.decoder;
  return layer;
}

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
  check_dropout(config.embedding_dropout, "transformer");
  check(layer_config(config), "transformer");
  check(decoder_layer_config(config), "transformer");
  require(
      config.sinusoids == SinusoidSpacing::paper || (config.width >= 4 && config.width % 2 == 0),
      "transformer: sinusoids as in Tensor2Tensor need an even width of at least 4, not {}",
      config.width);
  require(config.positions != PositionKind::learned || config.context_length >= 1,
          "transformer: learned positions for {} tokens but at least 1 was expected",
          config.context_length);
}

Transformer::Transformer(const TransformerConfig& config, Initialiser init)
    : config_(checked(config)),
      target_embedding_(make_embedding(config.target_vocabulary, config.width, init)),
      output_bias_(Tensor::zeros({config.target_vocabulary})) {
  if (config.tied != TiedEmbeddings::all)
    source_embedding_ = make_embedding(config.source_vocabulary, config.width, init);
  if (config.tied == TiedEmbeddings::none)
    output_weight_ = init.xavier_uniform(config.target_vocabulary, config.width);
  if (config.positions == PositionKind::learned) {
    source_positions_ = init.normal({config.context_length, config.width}, 0.02);
    target_positions_ = init.normal({config.context_length, config.width}, 0.02);
  }
  if (config.positions == PositionKind::sinusoidal)
    sinusoids_ = sinusoids(config, sinusoids_at_hand, Type::float32);
  const LayerConfig layer = layer_config(config), decoder_layer = decoder_layer_config(config);
  for (int64_t i = 0; i < config.encoder_layers; ++i) encoder_.emplace_back(layer, init);
  for (int64_t i = 0; i < config.decoder_layers; ++i) decoder_.emplace_back(decoder_layer, init);
  if (config.norm == NormPlacement::pre) {
    encoder_norm_ = layer.make_norm();
    decoder_norm_ = layer.make_norm();
  }
}

bool Transformer::adds_positions_at(size_t layer) const {
  return layer == 0 || config_.placement == PositionPlacement::every_layer;
}

Tensor Transformer::position_table(const Tensor& learned, int64_t end, Type type) const {
  if (learned.present() || config_.positions != PositionKind::sinusoidal) return learned;
  if (end <= sinusoids_.shape()[0] && type == sinusoids_.type()) return sinusoids_;
  return sinusoids(config_, end, type);
}

Variable Transformer::with_positions(const Variable& x, const Ragged& layout,
                                     const Tensor& positions, const FirstPositions& first) const {
  if (!positions.present()) return x;
  Tape& tape = x.tape();
  const bool learned = config_.positions == PositionKind::learned;
  return add_positions(x, layout, learned ? tape.watch(positions) : tape.constant(positions),
                       first);
}

Variable Transformer::target_vectors(Tape& tape, std::span<const int32_t> ids) const {
  Variable vectors = target_embedding_(tape, ids);
  if (config_.decoder_start == DecoderStart::learned) return vectors;
  return without_rows_of(Vocabulary::start_of(config_.target_vocabulary), ids, vectors);
}

Variable Transformer::placed(const Variable& vectors, const Ragged& layout, const Tensor& positions,
                             const FirstPositions& first) const {
  return dropout(with_positions(vectors, layout, positions, first), config_.embedding_dropout);
}

TokenBatch Transformer::readable(const TokenBatch& source) const {
  return config_.source_end ? source : without_ends(source);
}

Variable Transformer::encode(Tape& tape, const TokenBatch& readable,
                             AttentionRecorder* recorder) const {
  const Embedding& words = source_words();
  const Tensor positions =
      position_table(source_positions_, readable.layout.longest(), words.table().type());
  Variable x = placed(words(tape, readable.ids), readable.layout, positions);
  for (size_t i = 0; i < encoder_.size(); ++i) {
    if (i > 0 && adds_positions_at(i)) x = with_positions(x, readable.layout, positions);
    x = encoder_[i](x, readable.layout, place_for(recorder, AttentionPart::encoder, i));
  }
  return encoder_norm_ ? (*encoder_norm_)(x) : x;
}

void Transformer::guide(const HeadGuide& guide) {
  const auto& [part, layer, head] = guide.head;
  require(part == AttentionPart::cross && layer >= 1 && layer <= config_.decoder_layers &&
              head >= 1 && head <= config_.heads,
          "transformer: {} is to learn links, but a head of cross:1:1 to cross:{}:{} was expected",
          name_of(guide.head), config_.decoder_layers, config_.heads);
  guide_ = guide;
}

Variable Transformer::loss(Tape& tape, const Batch& batch,
                           const CrossEntropyOptions& options) const {
  if (!guide_ || batch.links.empty()) return Model::loss(tape, batch, options);
  GuidedAttention guided = {
      .head = guide_->head.head - 1, .links = batch.links, .shares = batch.weights};
  const Variable features = pass(tape, batch, nullptr, &guided);
  return add(loss_of(features, batch, options), scale(guided.loss, guide_->weight));
}

TokenBatch Transformer::target_inputs(const Batch& batch) const {
  return shifted_right(batch, Vocabulary::start_of(config_.target_vocabulary));
}

void Transformer::visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const {
  visit(source_words().table(), batch.source.ids);
  visit(target_embedding_.table(), target_inputs(batch).ids);
}

Variable Transformer::recorded_features(Tape& tape, const Batch& batch,
                                        AttentionRecorder* recorder) const {
  return pass(tape, batch, recorder, nullptr);
}

Variable Transformer::pass(Tape& tape, const Batch& batch, AttentionRecorder* recorder,
                           GuidedAttention* guided) const {
  require(batch.source.layout.sequences() == batch.sentences(),
          "transformer: {} source sentences but {} target sentences",
          batch.source.layout.sequences(), batch.sentences());
  const TokenBatch source = readable(batch.source);
  const Variable encoded = encode(tape, source, recorder);
  const TokenBatch inputs = target_inputs(batch);
  const Tensor positions =
      position_table(target_positions_, inputs.layout.longest(), target_embedding_.table().type());
  Variable x = placed(target_vectors(tape, inputs.ids), inputs.layout, positions);
  for (size_t i = 0; i < decoder_.size(); ++i) {
    if (i > 0 && adds_positions_at(i)) x = with_positions(x, inputs.layout, positions);
    const bool is_guided = guided != nullptr && static_cast<int64_t>(i) + 1 == guide_->head.layer;
    x = decoder_[i](x, inputs.layout, decoder_[i].project_source(encoded, source.layout),
                    {.self = self_place(recorder, i),
                     .cross = place_for(recorder, AttentionPart::cross, i),
                     .guided = is_guided ? guided : nullptr});
  }
  return decoder_norm_ ? (*decoder_norm_)(x) : x;
}

bool Transformer::has_self_attention() const {
  return config_.decoder == Autoregression::self_attention;
}

RecordedAttention* Transformer::self_place(AttentionRecorder* recorder, size_t layer) const {
  return has_self_attention() ? place_for(recorder, AttentionPart::decoder, layer) : nullptr;
}

HeadCounts Transformer::head_counts() const {
  return {.encoder_layers = config_.encoder_layers,
          .decoder_layers = has_self_attention() ? config_.decoder_layers : 0,
          .cross_layers = config_.decoder_layers,
          .heads = config_.heads};
}

std::unique_ptr<Model> Transformer::with_gates(std::span<const HeadGate> gates) const {
  auto copy = std::make_unique<Transformer>(*this);
  for (size_t i = 0; i < copy->encoder_.size(); ++i)
    put_gates(copy->encoder_[i].self(), AttentionPart::encoder, i, gates, head_counts());
  for (size_t i = 0; i < copy->decoder_.size(); ++i) {
    if (MultiHeadAttention* self = copy->decoder_[i].self())
      put_gates(*self, AttentionPart::decoder, i, gates, head_counts());
    put_gates(copy->decoder_[i].cross(), AttentionPart::cross, i, gates, head_counts());
  }
  return copy;
}

OutputLayer Transformer::output_layer() const {
  return {output_weight_.present() ? output_weight_ : target_embedding_.table(), output_bias_};
}

Transformer Transformer::prepared_layers(Precision precision) const {
  Transformer copy = *this;
  for (EncoderLayer& layer : copy.encoder_) layer = layer.prepared(precision);
  for (DecoderLayer& layer : copy.decoder_) layer = layer.prepared(precision);
  copy.output_weight_ = {};
  if (precision == Precision::int8) round_to_int8(copy);  // the tables of words and positions
  return copy;
}

std::shared_ptr<const Generator> Transformer::prepare(Precision precision) const {
  return std::make_shared<TransformerGenerator>(*this, precision);
}

int64_t Transformer::max_length() const {
  return config_.positions == PositionKind::learned ? config_.context_length : Model::max_length();
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

void Transformer::visit_linears(const LinearVisitor& visit) {
  for (size_t i = 0; i < encoder_.size(); ++i)
    encoder_[i].visit_linears(fmt::format("model.encoder.layers.{}", i), visit);
  for (size_t i = 0; i < decoder_.size(); ++i)
    decoder_[i].visit_linears(fmt::format("model.decoder.layers.{}", i), visit);
}

int64_t Transformer::source_multiplications() const {
  const auto [keys_and_values, queries_and_output, feed_forward] =
      multiplications(layer_config(config_));
  return config_.encoder_layers * (keys_and_values + queries_and_output + feed_forward) +
         config_.decoder_layers * keys_and_values;
}

int64_t Transformer::target_multiplications() const {
  const auto [keys_and_values, queries_and_output, feed_forward] =
      multiplications(decoder_layer_config(config_));
  // A recurrent unit has two products of the size of queries and output.
  const int64_t past = queries_and_output + (has_self_attention() ? keys_and_values : 0);
  return config_.decoder_layers * (past + queries_and_output + feed_forward) +
         config_.width * config_.target_vocabulary;
}

}  // namespace heed
