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

// Those of the second below those of the first, which may be absent.
Tensor joined_rows(const Tensor& first, const Tensor& second) {
  if (!first.present()) return second;
  const int64_t above = first.shape()[0], below = second.shape()[0];
  Tensor joined = Tensor::uninitialised({above + below, first.shape()[1]});
  joined.slice(0, above).copy_from(first);
  joined.slice(above, above + below).copy_from(second);
  return joined;
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
          .readout = PreparedWeight(readout.weight(), precision),
          .output = PreparedWeight(output.weight, precision),
          .readout_bias = readout.bias(),
          .output_bias = output.bias,
          .context_width = context_width};
}

RnnDecoder::RnnDecoder(const RnnDecoderWeights& weights, Encode encode)
    : weights_(weights), encode_(std::move(encode)) {}

void RnnDecoder::add(const TokenBatch& source, std::optional<AttentionChoice> attention) {
  const AttentionChoice choice = attention.value_or(AttentionChoice());
  require(choice.layer <= 1 && choice.head <= 1,
          "attention of layer {}, head {} was asked for, but a recurrent network has one of each",
          choice.layer, choice.head);
  const RnnSource found = encode_(source);
  forget_sentences();
  join(found);
  const int64_t sentences = source.layout.sequences();
  looked_at_.resize(looked_at_.size() + static_cast<size_t>(sentences), attention.has_value());
  hypotheses_.add(sentences);
  make_scratch();
}

// Moves the sentences that still have a hypothesis together.
void RnnDecoder::forget_sentences() {
  const std::vector<int64_t> kept = hypotheses_.renumber();
  if (static_cast<int64_t>(kept.size()) == source_.sequences()) return;
  std::vector<int64_t> lengths, tokens;
  std::vector<bool> looked_at;
  for (const int64_t s : kept) {
    lengths.push_back(source_.length(s));
    looked_at.push_back(looked_at_[static_cast<size_t>(s)]);
    for (int64_t t = source_.begin(s); t < source_.end(s); ++t) tokens.push_back(t);
  }
  const bool attends = keys_.present();
  if (attends) keys_ = select_rows(keys_, tokens);
  values_ = select_rows(values_, attends ? tokens : kept);
  source_ = Ragged(lengths);
  looked_at_ = std::move(looked_at);
}

void RnnDecoder::join(const RnnSource& more) {
  std::vector<int64_t> lengths;
  for (const Ragged* layout : {&std::as_const(source_), &more.layout})
    for (int64_t s = 0; s < layout->sequences(); ++s) lengths.push_back(layout->length(s));
  source_ = Ragged(lengths);
  if (more.keys.present()) keys_ = joined_rows(keys_, more.keys);
  values_ = joined_rows(values_, more.values);
  hidden_.resize(more.hidden.size());
  cells_.resize(more.cells.size());
  for (size_t layer = 0; layer < hidden_.size(); ++layer)
    hidden_[layer] = joined_rows(hidden_[layer], more.hidden[layer]);
  for (size_t layer = 0; layer < cells_.size(); ++layer)
    cells_[layer] = joined_rows(cells_[layer], more.cells[layer]);
}

void RnnDecoder::make_scratch() {
  const auto rows = [&](int64_t columns) { return Tensor::uninitialised({hypotheses(), columns}); };
  const AttentiveWeights& weights = weights_.weights;
  const int64_t hidden = weights.hidden(), gates = gates_of(weights.kind) * hidden;
  scratch_.clear();
  for (size_t layer = 0; layer < weights.layers.size(); ++layer)
    scratch_.push_back({.input = layer > 0 ? rows(hidden) : Tensor(),
                        .gates = rows(gates),
                        .hidden_gates = rows(gates),
                        .states = rows(hidden),
                        .cells = weights.kind == RecurrentKind::lstm ? rows(hidden) : Tensor()});
  joined_ = rows(hidden + weights_.context_width + weights_.embedding.width());
  if (weights.query_weight.present()) queries_ = rows(weights.query_weight.shape()[0]);
  features_ = rows(weights_.readout_bias.elements());
  logits_ = rows(weights_.output_bias.elements());
}

MatrixView<float> RnnDecoder::joined_states() {
  return joined_.matrix<float>().block(0, 0, hypotheses(), weights_.weights.hidden());
}
MatrixView<float> RnnDecoder::joined_contexts() {
  return joined_.matrix<float>().block(0, weights_.weights.hidden(), hypotheses(),
                                       weights_.context_width);
}
MatrixView<float> RnnDecoder::joined_tokens() {
  return joined_.matrix<float>().block(0, weights_.weights.hidden() + weights_.context_width,
                                       hypotheses(), weights_.embedding.width());
}

void RnnDecoder::embed_tokens(std::span<const int32_t> tokens) {
  const MatrixView<const float> table = weights_.embedding.table().matrix<float>();
  const float scale = static_cast<float>(weights_.embedding.scale());
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
        {.previous = all(hidden_[layer]),
         .previous_cells = scratch.cells.present() ? all(cells_[layer]) : MatrixView<float>{},
         .input = all(scratch.input),
         .gates = all(scratch.gates),
         .hidden_gates = all(scratch.hidden_gates),
         .states = all(scratch.states),
         .cells = all(scratch.cells)});
  }
  return rows;
}

Tensor RnnDecoder::step(std::span<const int32_t> tokens) {
  hypotheses_.check_tokens(tokens, weights_.embedding.table().shape()[0]);
  embed_tokens(tokens);
  kernels::gemm_packed(joined_tokens(), weights_.input, scratch_.front().gates.matrix<float>(),
                       {.bias = weights_.weights.layers.front().input_bias.span<float>()});
  AttentiveSource<float> source{{}, {}, source_};
  if (keys_.present()) {
    source.keys = std::as_const(keys_).matrix<float>();
    source.values = std::as_const(values_).matrix<float>();
    attention_ = Tensor::zeros({hypotheses(), source_.longest()});
  } else {
    for (int64_t i = 0; i < hypotheses(); ++i)
      std::ranges::copy(
          row_of(values_.matrix<float>(), hypotheses_.sentences()[static_cast<size_t>(i)]),
          joined_contexts().row(i));
  }
  weights_.cell.step(source, rows());
  keep_states();
  weights_.readout.multiply(std::as_const(joined_).matrix<float>(), weights_.readout_bias,
                            Activation::tanh, features_.matrix<float>());
  weights_.output.multiply(std::as_const(features_).matrix<float>(), weights_.output_bias,
                           Activation::identity, logits_.matrix<float>());
  return logits_;
}

// The new states become the initial states of the next step.
void RnnDecoder::keep_states() {
  for (size_t layer = 0; layer < scratch_.size(); ++layer) {
    std::swap(hidden_[layer], scratch_[layer].states);
    if (scratch_[layer].cells.present()) std::swap(cells_[layer], scratch_[layer].cells);
  }
  for (int64_t i = 0; i < hypotheses(); ++i)
    std::ranges::copy(row_of(hidden_.back().matrix<float>(), i), joined_states().row(i));
}

void RnnDecoder::select(std::span<const int64_t> from) {
  const int64_t before = hypotheses();
  hypotheses_.select(from);
  for (std::vector<Tensor>* states : {&hidden_, &cells_})
    for (Tensor& state : *states) state = select_rows(state, from);
  if (hypotheses() != before) make_scratch();
}

Tensor RnnDecoder::attention() const {
  if (!keys_.present() || std::ranges::find(looked_at_, true) == looked_at_.end()) return {};
  Tensor wanted = attention_.clone();
  for (int64_t i = 0; i < hypotheses(); ++i) {
    const auto sentence = static_cast<size_t>(hypotheses_.sentences()[static_cast<size_t>(i)]);
    if (!looked_at_[sentence]) wanted.slice(i, i + 1).fill(0);
  }
  return wanted;
}

}  // namespace heed
