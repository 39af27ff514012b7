#include "heed/models/rnn_decoder.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

using kernels::MatrixView;

namespace {

Tensor select_rows(const Tensor& rows, std::span<const int64_t> from) {
  Tensor selected = Tensor::uninitialised({static_cast<int64_t>(from.size()), rows.shape()[1]});
  for (size_t i = 0; i < from.size(); ++i)
    std::ranges::copy(row_of(rows.matrix<float>(), from[i]),
                      selected.matrix<float>().row(static_cast<int64_t>(i)));
  return selected;
}

MatrixView<float> all(Tensor& rows) {
  return rows.present() ? rows.matrix<float>() : MatrixView<float>{};
}

// The columns of the lowest layer's weight for the token; those before them are for the context.
kernels::PackedWeights token_weights(const AttentiveWeights& weights, int64_t context_width) {
  const MatrixView<const float> lowest = weights.layers.front().input_weight.matrix<float>();
  return kernels::PackedWeights(
      lowest.block(0, context_width, lowest.rows, lowest.columns - context_width).transposed());
}

}  // namespace

RnnDecoderWeights RnnDecoderWeights::of(const Embedding& embedding, const AttentiveWeights& weights,
                                        int64_t context_width, const Linear& readout,
                                        const OutputLayer& output, Precision precision) {
  require(embedding.table().type() == Type::float32,
          "rnn: decoding needs parameters of type float32 but they have type {}",
          name_of(embedding.table().type()));
  return {.embedding = embedding,
          .weights = weights,
          .cell = AttentiveCell<float>(weights, context_width),
          .input = token_weights(weights, context_width),
          .readout = ReadyWeight(readout.weight(), precision),
          .output = ReadyWeight(output.weight, precision),
          .readout_bias = readout.bias(),
          .output_bias = output.bias};
}

RnnDecoder::RnnDecoder(std::shared_ptr<const RnnDecoderWeights> weights, RnnDecoderStart start,
                       const DecoderOptions& options)
    : weights_(std::move(weights)),
      state_(std::move(start)),
      attends_(state_.keys.present()),
      wants_attention_(attends_ && options.want_attention),
      context_width_(state_.values.shape()[1]),
      hypotheses_(state_.source.sequences()) {
  require(options.attention.layer <= 1 && options.attention.head <= 1,
          "attention of layer {}, head {} was asked for, but a recurrent network has one of each",
          options.attention.layer, options.attention.head);
  make_scratch();
}

void RnnDecoder::make_scratch() {
  const auto rows = [&](int64_t columns) { return Tensor::uninitialised({hypotheses(), columns}); };
  const AttentiveWeights& weights = weights_->weights;
  const int64_t hidden = weights.hidden(), gates = gates_of(weights.kind) * hidden;
  scratch_.clear();
  for (size_t layer = 0; layer < weights.layers.size(); ++layer)
    scratch_.push_back({.input = layer > 0 ? rows(hidden) : Tensor(),
                        .gates = rows(gates),
                        .hidden_gates = rows(gates),
                        .states = rows(hidden),
                        .cells = weights.kind == RecurrentKind::lstm ? rows(hidden) : Tensor()});
  joined_ = rows(hidden + context_width_ + weights_->embedding.width());
  if (weights.query_weight.present()) queries_ = rows(weights.query_weight.shape()[0]);
  features_ = rows(weights_->readout_bias.elements());
  logits_ = rows(weights_->output_bias.elements());
}

MatrixView<float> RnnDecoder::joined_states() {
  return joined_.matrix<float>().block(0, 0, hypotheses(), weights_->weights.hidden());
}
MatrixView<float> RnnDecoder::joined_contexts() {
  return joined_.matrix<float>().block(0, weights_->weights.hidden(), hypotheses(), context_width_);
}
MatrixView<float> RnnDecoder::joined_tokens() {
  return joined_.matrix<float>().block(0, weights_->weights.hidden() + context_width_, hypotheses(),
                                       weights_->embedding.width());
}

void RnnDecoder::embed_tokens(std::span<const int32_t> tokens) {
  const MatrixView<const float> table = weights_->embedding.table().matrix<float>();
  const float scale = static_cast<float>(weights_->embedding.scale());
  for (size_t i = 0; i < tokens.size(); ++i)
    kernels::scale(scale, row_of(table, tokens[i]),
                   row_of(joined_tokens(), static_cast<int64_t>(i)));
}

StepRows<float> RnnDecoder::rows() {
  StepRows<float> rows{.layers = {},
                       .sentences = hypotheses_.sentences(),
                       .queries = all(queries_),
                       .weights = all(attention_),
                       .contexts = joined_contexts()};
  for (size_t layer = 0; layer < scratch_.size(); ++layer) {
    LayerScratch& scratch = scratch_[layer];
    rows.layers.push_back(
        {.previous = all(state_.hidden[layer]),
         .previous_cells = scratch.cells.present() ? all(state_.cells[layer]) : MatrixView<float>{},
         .input = all(scratch.input),
         .gates = all(scratch.gates),
         .hidden_gates = all(scratch.hidden_gates),
         .states = all(scratch.states),
         .cells = all(scratch.cells)});
  }
  return rows;
}

Tensor RnnDecoder::step(std::span<const int32_t> tokens) {
  hypotheses_.check_tokens(tokens, weights_->embedding.table().shape()[0]);
  embed_tokens(tokens);
  kernels::gemm_packed(joined_tokens(), weights_->input, scratch_.front().gates.matrix<float>(),
                       {.bias = weights_->weights.layers.front().input_bias.span<float>()});
  AttentiveSource<float> source{{}, {}, state_.source};
  if (attends_) {
    source.keys = std::as_const(state_.keys).matrix<float>();
    source.values = std::as_const(state_.values).matrix<float>();
    attention_ = Tensor::zeros({hypotheses(), state_.source.longest()});
  } else {
    for (int64_t i = 0; i < hypotheses(); ++i)
      std::ranges::copy(
          row_of(state_.values.matrix<float>(), hypotheses_.sentences()[static_cast<size_t>(i)]),
          joined_contexts().row(i));
  }
  weights_->cell.step(source, rows());
  keep_states();
  weights_->readout.multiply(std::as_const(joined_).matrix<float>(), weights_->readout_bias,
                             Activation::tanh, features_.matrix<float>());
  weights_->output.multiply(std::as_const(features_).matrix<float>(), weights_->output_bias,
                            Activation::identity, logits_.matrix<float>());
  return logits_;
}

// The new states become the initial states of the next step.
void RnnDecoder::keep_states() {
  for (size_t layer = 0; layer < scratch_.size(); ++layer) {
    std::swap(state_.hidden[layer], scratch_[layer].states);
    if (scratch_[layer].cells.present()) std::swap(state_.cells[layer], scratch_[layer].cells);
  }
  for (int64_t i = 0; i < hypotheses(); ++i)
    std::ranges::copy(row_of(state_.hidden.back().matrix<float>(), i), joined_states().row(i));
}

void RnnDecoder::select(std::span<const int64_t> from) {
  const int64_t before = hypotheses();
  hypotheses_.select(from);
  for (std::vector<Tensor>* states : {&state_.hidden, &state_.cells})
    for (Tensor& state : *states) state = select_rows(state, from);
  if (hypotheses() != before) make_scratch();
}

}  // namespace heed
