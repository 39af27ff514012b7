#include "heed/models/language_model.h"

#include "heed/autograd/embedding.h"
#include "heed/base/error.h"
#include "heed/data/vocabulary.h"
#include "heed/models/int8_rounding.h"
#include "heed/models/language_model_generator.h"

namespace heed {

namespace {

constexpr double usual_deviation = 0.02;  // of what is looked up in a table, as in GPT-2

const LanguageModelConfig& checked(const LanguageModelConfig& config) {
  check(config);
  return config;
}

// What the decoder reads of a batch, and which rows of it predict the target.
struct Reading {
  TokenBatch tokens;
  std::vector<int32_t> predicting;  // none: all of them
};

Reading reading_of(const Batch& batch, int32_t start) {
  TokenBatch target = shifted_right(batch, start);
  if (batch.source.ids.empty()) return {std::move(target), {}};
  Reading reading;
  std::vector<std::vector<int32_t>> texts;
  int32_t row = 0;
  for (int64_t s = 0; s < batch.sentences(); ++s) {
    const std::span<const int32_t> before = batch.source.sentence(s), after = target.sentence(s);
    texts.emplace_back(before.begin(), before.end());
    texts.back().insert(texts.back().end(), after.begin(), after.end());
    row += static_cast<int32_t>(before.size());
    for (size_t i = 0; i < after.size(); ++i) reading.predicting.push_back(row++);
  }
  reading.tokens = join_sentences(texts);
  return reading;
}

}  // namespace

LayerConfig layer_config(const LanguageModelConfig& config) {
  return {.width = config.width,
          .ffn = config.ffn,
          .heads = config.heads,
          .kv_heads = config.kv_heads,
          .activation = config.activation,
          .gated = config.gated,
          .bias = config.bias,
          .norm = config.norm,
          .norm_kind = config.norm_kind,
          .norm_epsilon = config.norm_epsilon,
          .positions = config.positions,
          .rotary_base = config.rotary_base,
          .max_distance = config.max_distance,
          .dropout = config.dropout,
          .activation_dropout = config.activation_dropout,
          .attention_dropout = config.attention_dropout};
}

void check(const LanguageModelConfig& config) {
  constexpr std::string_view model = "language model";
  require(config.vocabulary >= 3, "{}: a vocabulary of {} but at least 3 was expected", model,
          config.vocabulary);
  require(config.layers >= 1, "{}: {} layers but at least 1 was expected", model, config.layers);
  check_dropout(config.embedding_dropout, model);
  check(layer_config(config), model);
  require(config.context_length >= 1, "{}: a context of {} tokens but at least 1 was expected",
          model, config.context_length);
}

LanguageModel::LanguageModel(const LanguageModelConfig& config, Initialiser init)
    : config_(checked(config)),
      embedding_(config.vocabulary, config.width, init,
                 {.scaled = config.scaled, .deviation = config.scaled ? 1.0 : usual_deviation}) {
  if (!config.tied) output_weight_ = init.xavier_uniform(config.vocabulary, config.width);
  if (config.positions == PositionKind::learned)
    positions_ = init.normal({config.context_length, config.width}, usual_deviation);
  if (config.positions == PositionKind::sinusoidal)
    positions_ =
        sinusoidal_positions(config.context_length, config.width, SinusoidOrder::sines_first);
  const LayerConfig layer = layer_config(config);
  for (int64_t i = 0; i < config.layers; ++i) layers_.emplace_back(layer, init);
  if (config.norm == NormPlacement::pre) norm_.emplace(layer.make_norm());
}

Variable LanguageModel::embed(Tape& tape, const TokenBatch& tokens,
                              const FirstPositions& first) const {
  Variable x = embedding_(tape, tokens.ids);
  if (config_.positions == PositionKind::learned)
    x = add_positions(x, tokens.layout, tape.watch(positions_), first);
  else if (positions_.present())
    x = add_positions(x, tokens.layout, tape.constant(positions_.to(x.type())), first);
  return dropout(x, config_.embedding_dropout);
}

Variable LanguageModel::recorded_features(Tape& tape, const Batch& batch,
                                          AttentionRecorder* recorder) const {
  require(batch.source.ids.empty() || batch.source.layout.sequences() == batch.sentences(),
          "language model: {} sources but {} texts", batch.source.layout.sequences(),
          batch.sentences());
  const Reading reading = reading_of(batch, Vocabulary::start_of(config_.vocabulary));
  const Ragged& layout = reading.tokens.layout;
  require(layout.longest() <= config_.context_length,
          "language model: a text of {} tokens, but the context has {}", layout.longest(),
          config_.context_length);
  Variable x = embed(tape, reading.tokens);
  for (size_t i = 0; i < layers_.size(); ++i)
    x = layers_[i](x, layout, place_for(recorder, AttentionPart::decoder, i), {.causal = true});
  if (!batch.source.ids.empty()) x = heed::embed(x, reading.predicting);
  return normalised(x);
}

void LanguageModel::visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const {
  const Reading reading = reading_of(batch, Vocabulary::start_of(config_.vocabulary));
  visit(embedding_.table(), reading.tokens.ids);
}

HeadCounts LanguageModel::head_counts() const {
  return {.encoder_layers = 0,
          .decoder_layers = config_.layers,
          .cross_layers = 0,
          .heads = config_.heads};
}

std::unique_ptr<Model> LanguageModel::with_gates(std::span<const HeadGate> gates) const {
  auto copy = std::make_unique<LanguageModel>(*this);
  for (size_t i = 0; i < copy->layers_.size(); ++i)
    put_gates(copy->layers_[i].self(), AttentionPart::decoder, i, gates, head_counts());
  return copy;
}

OutputLayer LanguageModel::output_layer() const {
  return {output_weight_.present() ? output_weight_ : embedding_.table(), {}};
}

LanguageModel LanguageModel::prepared_layers(Precision precision) const {
  LanguageModel copy = *this;
  for (SelfAttentionLayer& layer : copy.layers_) layer = layer.prepared(precision);
  copy.output_weight_ = {};
  if (precision == Precision::int8) round_to_int8(copy);  // the tables of words and positions
  return copy;
}

std::shared_ptr<const Generator> LanguageModel::prepare(Precision precision) const {
  return std::make_shared<LanguageModelGenerator>(*this, precision);
}

void LanguageModel::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  const std::string model = dotted(prefix, "model");
  embedding_.visit_parameters(dotted(model, "embed_tokens"), visit);
  if (config_.positions == PositionKind::learned)
    visit(dotted(model, "embed_positions.weight"), positions_);
  for (size_t i = 0; i < layers_.size(); ++i)
    layers_[i].visit_parameters(dotted(model, fmt::format("layers.{}", i)), visit);
  if (norm_) norm_->visit_parameters(dotted(model, "norm"), visit);
  if (output_weight_.present()) visit(dotted(prefix, "lm_head.weight"), output_weight_);
}

int64_t LanguageModel::target_multiplications() const {
  const auto [keys_and_values, queries_and_output, feed_forward] =
      multiplications(layer_config(config_));
  return config_.layers * (keys_and_values + queries_and_output + feed_forward) +
         config_.width * config_.vocabulary;
}

}  // namespace heed
