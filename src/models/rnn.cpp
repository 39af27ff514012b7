#include "heed/models/rnn.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "heed/attention/attentive_recurrence.h"
#include "heed/attention/head_gates.h"
#include "heed/autograd/dropout.h"
#include "heed/autograd/embedding.h"
#include "heed/autograd/layout.h"
#include "heed/autograd/linear.h"
#include "heed/base/error.h"
#include "heed/data/vocabulary.h"
#include "heed/models/int8_rounding.h"
#include "heed/models/rnn_generator.h"

namespace heed {

namespace {

// Embeddings are scaled so that they start small enough to double as the output layer's weight.
constexpr EmbeddingOptions scaled{.scaled = true};

const RnnConfig& checked(const RnnConfig& config) {
  check(config);
  return config;
}

std::vector<Linear> make_bridge(const RnnConfig& config, bool wanted, Initialiser init) {
  std::vector<Linear> layers;
  const bool fits = !config.bidirectional && config.encoder_width() == config.hidden;
  if (!wanted || fits) return layers;
  for (int layer = 0; layer < config.layers; ++layer)
    layers.emplace_back(config.context_width(), config.hidden, init,
                        LinearOptions{.activation = Activation::tanh});
  return layers;
}

std::optional<ScoreLayer> make_score(const RnnConfig& config, Initialiser init) {
  if (!config.attention) return std::nullopt;
  return ScoreLayer(*config.attention,
                    {.query_width = config.hidden, .key_width = config.context_width()}, init);
}

std::optional<Embedding> make_target_embedding(const RnnConfig& config, Initialiser init) {
  if (config.tied == TiedEmbeddings::all) return std::nullopt;
  return Embedding(config.target_vocabulary, config.embedding, init, scaled);
}

// A row of each of some variables for each index.
std::vector<Variable> gather(const std::vector<Variable>& variables,
                             std::span<const int32_t> rows) {
  std::vector<Variable> result;
  for (const Variable& variable : variables) result.push_back(embed(variable, rows));
  return result;
}

// Multiplications of a recurrent network for one token.
int64_t multiplications(const Recurrent& network) {
  int64_t count = 0;
  for (const RecurrentWeights& layer : network.weights())
    count += layer.input_weight.elements() + layer.hidden_weight.elements();
  return count;
}

int64_t multiplications(const Linear& layer) { return layer.inputs() * layer.outputs(); }

}  // namespace

Rnn::Rnn(const RnnConfig& config, Initialiser init)
    : config_(checked(config)),
      source_embedding_(config.source_vocabulary, config.embedding, init, scaled),
      target_embedding_(make_target_embedding(config, init)),
      encoder_(config.cell,
               {.inputs = config.embedding,
                .hidden = config.encoder_width(),
                .layers = config.layers,
                .bidirectional = config.bidirectional,
                .dropout = config.dropout},
               init),
      hidden_bridge_(make_bridge(config, true, init)),
      cell_bridge_(make_bridge(config, config.cell == RecurrentKind::lstm, init)),
      score_(make_score(config, init)),
      decoder_(config.cell,
               {.inputs = config.context_width() + config.embedding,
                .hidden = config.hidden,
                .layers = config.layers,
                .bidirectional = false,
                .dropout = config.dropout},
               init),
      readout_(config.hidden + config.context_width() + config.embedding, config.embedding, init,
               {.activation = Activation::tanh}),
      output_bias_(Tensor::zeros({config.target_vocabulary})) {
  if (config.tied == TiedEmbeddings::none)
    output_weight_ = init.xavier_uniform(config.target_vocabulary, config.embedding);
}

const Embedding& Rnn::target_embedding() const {
  return target_embedding_ ? *target_embedding_ : source_embedding_;
}

OutputLayer Rnn::output_layer() const {
  return {output_weight_.present() ? output_weight_ : target_embedding().table(), output_bias_};
}

// The states of all directions of a layer side by side, brought to the decoder's width.
std::vector<Variable> Rnn::start_states(const std::vector<Variable>& last,
                                        const std::vector<Linear>& bridge) const {
  const size_t directions = static_cast<size_t>(config_.directions());
  std::vector<Variable> states;
  for (size_t first = 0; first < last.size(); first += directions) {
    const Variable joined = concatenate_columns(std::span(last).subspan(first, directions));
    states.push_back(bridge.empty() ? joined : bridge[first / directions](joined));
  }
  return states;
}

Rnn::Encoded Rnn::encode(Tape& tape, const TokenBatch& source) const {
  const Variable x = dropout(source_embedding_(tape, source.ids), config_.embedding_dropout);
  const RecurrentResult result = encoder_(x, source.layout);
  const size_t directions = static_cast<size_t>(config_.directions());
  return {.outputs = result.outputs,
          .last = concatenate_columns(std::span(result.last.hidden).last(directions)),
          .start = {.hidden = start_states(result.last.hidden, hidden_bridge_),
                    .cells = start_states(result.last.cells, cell_bridge_)}};
}

TokenBatch Rnn::target_inputs(const Batch& batch) const {
  return shifted_right(batch, Vocabulary::start_of(config_.target_vocabulary));
}

void Rnn::visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const {
  visit(source_embedding_.table(), batch.source.ids);
  visit(target_embedding().table(), target_inputs(batch).ids);
}

Variable Rnn::recorded_features(Tape& tape, const Batch& batch, AttentionRecorder* recorder) const {
  require(batch.source.layout.sequences() == batch.target.layout.sequences(),
          "rnn: {} source sentences but {} target sentences", batch.source.layout.sequences(),
          batch.target.layout.sequences());
  const Encoded encoded = encode(tape, batch.source);
  return config_.attention ? features_with_attention(tape, batch, encoded, recorder)
                           : features_of_fixed_context(tape, batch, encoded);
}

Variable Rnn::read_out(const Variable& states_and_contexts, const Variable& x) const {
  return dropout(readout_(concatenate_columns(std::vector{states_and_contexts, x})),
                 config_.dropout);
}

Variable Rnn::features_with_attention(Tape& tape, const Batch& batch, const Encoded& encoded,
                                      AttentionRecorder* recorder) const {
  const TokenBatch inputs = target_inputs(batch);
  const auto steps = std::make_shared<const TimeSteps>(inputs.layout);
  // Everything between the embeddings and the features is in the order of the steps.
  std::vector<int32_t> ids, starting, row_of_token(inputs.ids.size());
  for (int64_t step = 0; step < steps->steps(); ++step)
    for (int64_t rank = 0; rank < steps->running(step); ++rank) {
      const auto token = static_cast<size_t>(steps->token(step, rank, Direction::forward));
      if (step == 0) starting.push_back(static_cast<int32_t>(steps->sequence(rank)));
      row_of_token[token] = static_cast<int32_t>(ids.size());
      ids.push_back(inputs.ids[token]);
    }
  const Variable x = dropout(target_embedding()(tape, ids), config_.embedding_dropout);
  const Variable outputs = dropout(encoded.outputs, config_.dropout);
  RecordedAttention* const record = place_for(recorder, AttentionPart::cross, 0);
  const Variable states_and_contexts =
      recur_attentively({.x = x,
                         .hidden = gather(encoded.start.hidden, starting),
                         .cells = gather(encoded.start.cells, starting),
                         .keys = project_keys(outputs),
                         .values = gated_values(outputs),
                         .source = batch.source.layout,
                         .weights = attentive_weights(tape),
                         .dropout = config_.dropout},
                        steps, record);
  if (record != nullptr) {
    record->values = outputs.value();
    record->gates = gates_;
  }
  return embed(read_out(states_and_contexts, x), row_of_token);
}

Variable Rnn::features_of_fixed_context(Tape& tape, const Batch& batch,
                                        const Encoded& encoded) const {
  const TokenBatch inputs = target_inputs(batch);
  std::vector<int32_t> sentences;
  for (int64_t s = 0; s < inputs.layout.sequences(); ++s)
    sentences.insert(sentences.end(), static_cast<size_t>(inputs.layout.length(s)),
                     static_cast<int32_t>(s));
  const Variable x = dropout(target_embedding()(tape, inputs.ids), config_.embedding_dropout);
  const Variable contexts = embed(dropout(encoded.last, config_.dropout), sentences);
  const Variable states =
      decoder_(concatenate_columns(std::vector{contexts, x}), inputs.layout, encoded.start).outputs;
  return read_out(concatenate_columns(std::vector{states, contexts}), x);
}

// What the score compares with the decoder's states, projected once for all steps: the bilinear
// score qᵀ W k is the dot product with W k.
Variable Rnn::project_keys(const Variable& outputs) const {
  const Score score = score_->on(outputs.tape());
  if (const auto* additive = std::get_if<Additive>(&score))
    return linear(outputs, additive->key_weight);
  if (const auto* bilinear = std::get_if<Bilinear>(&score))
    return linear(outputs, bilinear->weight);
  return outputs;
}

// The context is linear in the values, so that a gate on them is one on the head. The keys are
// compared as they are.
Variable Rnn::gated_values(const Variable& outputs) const { return scale_heads(outputs, gates_); }

HeadCounts Rnn::head_counts() const {
  if (!config_.attention) return {};
  return {.cross_layers = 1, .heads = 1};
}

std::unique_ptr<Model> Rnn::with_gates(std::span<const HeadGate> gates) const {
  auto copy = std::make_unique<Rnn>(*this);
  copy->gates_ = gates_of_layer(AttentionPart::cross, 1, gates, head_counts(), gates_);
  return copy;
}

AttentiveWeights Rnn::attentive_weights(Tape& tape) const {
  AttentiveWeights weights{.kind = config_.cell, .layers = decoder_.weights()};
  if (!score_) return weights;
  const Score score = score_->on(tape);
  if (const auto* additive = std::get_if<Additive>(&score)) {
    weights.query_weight = additive->query_weight.value();
    weights.score_vector = additive->value_weight.value();
  }
  if (std::holds_alternative<ScaledDot>(score))
    weights.score_scale = 1.0 / std::sqrt(static_cast<double>(config_.hidden));
  return weights;
}

Rnn Rnn::prepared_layers(Precision precision) const {
  Rnn copy = *this;
  if (precision == Precision::int8) round_to_int8(copy);
  for (std::vector<Linear>* bridge : {&copy.hidden_bridge_, &copy.cell_bridge_})
    for (Linear& layer : *bridge) layer = layer.prepared(precision);
  return copy;
}

std::shared_ptr<const Generator> Rnn::prepare(Precision precision) const {
  return std::make_shared<RnnGenerator>(*this, precision);
}

void Rnn::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  source_embedding_.visit_parameters(
      dotted(prefix, target_embedding_ ? "source_embedding" : "embedding"), visit);
  if (target_embedding_)
    target_embedding_->visit_parameters(dotted(prefix, "target_embedding"), visit);
  encoder_.visit_parameters(dotted(prefix, "encoder"), visit);
  for (size_t layer = 0; layer < hidden_bridge_.size(); ++layer)
    hidden_bridge_[layer].visit_parameters(dotted(prefix, fmt::format("bridge.hidden.{}", layer)),
                                           visit);
  for (size_t layer = 0; layer < cell_bridge_.size(); ++layer)
    cell_bridge_[layer].visit_parameters(dotted(prefix, fmt::format("bridge.cells.{}", layer)),
                                         visit);
  if (score_) score_->visit_parameters(dotted(prefix, "score"), visit);
  decoder_.visit_parameters(dotted(prefix, "decoder"), visit);
  readout_.visit_parameters(dotted(prefix, "readout"), visit);
  if (output_weight_.present()) visit(dotted(prefix, "output.weight"), output_weight_);
  visit(dotted(prefix, "output.bias"), output_bias_);
}

int64_t Rnn::source_multiplications() const {
  const bool projects_keys =
      config_.attention == ScoreKind::additive || config_.attention == ScoreKind::bilinear;
  return multiplications(encoder_) + (projects_keys ? config_.hidden * config_.context_width() : 0);
}

int64_t Rnn::target_multiplications() const {
  const bool projects_query = config_.attention == ScoreKind::additive;
  return multiplications(decoder_) + (projects_query ? config_.hidden * config_.hidden : 0) +
         multiplications(readout_) + config_.target_vocabulary * config_.embedding;
}

}  // namespace heed
