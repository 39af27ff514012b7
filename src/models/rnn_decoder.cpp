#include "heed/models/rnn_decoder.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

using kernels::MatrixView;

namespace {

kernels::PackedWeights packed(const Tensor& weight) {
  return kernels::PackedWeights(weight.matrix<float>().transposed());
}

Tensor select_rows(const Tensor& rows, std::span<const int64_t> from) {
  Tensor selected = Tensor::uninitialised({static_cast<int64_t>(from.size()), rows.shape()[1]});
  for (size_t i = 0; i < from.size(); ++i)
    std::ranges::copy(row_of(rows.matrix<float>(), from[i]),
                      selected.matrix<float>().row(static_cast<int64_t>(i)));
  return selected;
}

MatrixView<float> all(Tensor& rows) { return rows.present() ? rows.matrix<float>() : MatrixView<float>{}; }

void require_float32(const RnnDecoderParts& parts) {
  require(parts.embedding.table().type() == Type::float32,
          "rnn: decoding needs parameters of type float32 but they have type {}",
          name_of(parts.embedding.table().type()));
}

}  // namespace

RnnDecoder::RnnDecoder(RnnDecoderParts parts, const DecoderOptions& options)
    : parts_((require_float32(parts), std::move(parts))),
      attends_(parts_.keys.present()),
      wants_attention_(attends_ && options.want_attention),
      context_depth_(parts_.values.shape()[1]),
      cell_(parts_.weights, context_depth_),
      readout_(packed(parts_.readout.weight())),
      output_(packed(parts_.output.weight)),
      hypotheses_(parts_.source.sequences()) {
  const MatrixView<const float> lowest = parts_.weights.layers.front().input_weight.matrix<float>();
  input_ = kernels::PackedWeights(
      lowest.block(0, context_depth_, lowest.rows, lowest.columns - context_depth_).transposed());
  make_room();
}

void RnnDecoder::make_room() {
  const auto rows = [&](int64_t columns) { return Tensor::uninitialised({hypotheses(), columns}); };
  const AttentiveWeights& weights = parts_.weights;
  const int64_t hidden = weights.hidden(), gates = gates_of(weights.kind) * hidden;
  room_.clear();
  for (size_t layer = 0; layer < weights.layers.size(); ++layer)
    room_.push_back({.input = layer > 0 ? rows(hidden) : Tensor(),
                     .gates = rows(gates),
                     .hidden_gates = rows(gates),
                     .states = rows(hidden),
                     .cells = weights.kind == RecurrentKind::lstm ? rows(hidden) : Tensor()});
  joined_ = rows(hidden + context_depth_ + parts_.embedding.depth());
  if (weights.query_weight.present()) queries_ = rows(weights.query_weight.shape()[0]);
  features_ = rows(parts_.readout.outputs());
  logits_ = rows(parts_.output.weight.shape()[0]);
}

MatrixView<float> RnnDecoder::joined_states() {
  return joined_.matrix<float>().block(0, 0, hypotheses(), parts_.weights.hidden());
}
MatrixView<float> RnnDecoder::joined_contexts() {
  return joined_.matrix<float>().block(0, parts_.weights.hidden(), hypotheses(), context_depth_);
}
MatrixView<float> RnnDecoder::joined_tokens() {
  return joined_.matrix<float>().block(0, parts_.weights.hidden() + context_depth_, hypotheses(),
                                       parts_.embedding.depth());
}

void RnnDecoder::embed_tokens(std::span<const int32_t> tokens) {
  const MatrixView<const float> table = parts_.embedding.table().matrix<float>();
  const float scale = static_cast<float>(parts_.embedding.scale());
  for (size_t i = 0; i < tokens.size(); ++i)
    kernels::scale(scale, row_of(table, tokens[i]), row_of(joined_tokens(), static_cast<int64_t>(i)));
}

StepRows<float> RnnDecoder::rows() {
  StepRows<float> rows{.layers = {},
                       .sentences = hypotheses_.sentences(),
                       .queries = all(queries_),
                       .weights = all(weights_),
                       .contexts = joined_contexts()};
  for (size_t layer = 0; layer < room_.size(); ++layer) {
    LayerRoom& room = room_[layer];
    rows.layers.push_back(
        {.previous = all(parts_.hidden[layer]),
         .previous_cells = room.cells.present() ? all(parts_.cells[layer]) : MatrixView<float>{},
         .input = all(room.input),
         .gates = all(room.gates),
         .hidden_gates = all(room.hidden_gates),
         .states = all(room.states),
         .cells = all(room.cells)});
  }
  return rows;
}

Tensor RnnDecoder::step(std::span<const int32_t> tokens) {
  hypotheses_.check_tokens(tokens, parts_.embedding.table().shape()[0]);
  embed_tokens(tokens);
  kernels::gemm_packed(joined_tokens(), input_, room_.front().gates.matrix<float>(),
                       {.bias = parts_.weights.layers.front().input_bias.span<float>()});
  AttentiveSource<float> source{{}, {}, parts_.source};
  if (attends_) {
    source.keys = std::as_const(parts_.keys).matrix<float>();
    source.values = std::as_const(parts_.values).matrix<float>();
    weights_ = Tensor::zeros({hypotheses(), parts_.source.longest()});
  } else {
    for (int64_t i = 0; i < hypotheses(); ++i)
      std::ranges::copy(
          row_of(parts_.values.matrix<float>(), hypotheses_.sentences()[static_cast<size_t>(i)]),
          joined_contexts().row(i));
  }
  cell_.step(source, rows());
  keep_states();
  kernels::gemm_packed(std::as_const(joined_).matrix<float>(), readout_, features_.matrix<float>(),
                       {.bias = parts_.readout.bias().span<float>(), .activation = Activation::tanh});
  kernels::gemm_packed(std::as_const(features_).matrix<float>(), output_, logits_.matrix<float>(),
                       {.bias = parts_.output.bias.span<float>()});
  return logits_;
}

// What the step found becomes what the next one begins with.
void RnnDecoder::keep_states() {
  for (size_t layer = 0; layer < room_.size(); ++layer) {
    std::swap(parts_.hidden[layer], room_[layer].states);
    if (room_[layer].cells.present()) std::swap(parts_.cells[layer], room_[layer].cells);
  }
  for (int64_t i = 0; i < hypotheses(); ++i)
    std::ranges::copy(row_of(parts_.hidden.back().matrix<float>(), i), joined_states().row(i));
}

void RnnDecoder::select(std::span<const int64_t> from) {
  const int64_t before = hypotheses();
  hypotheses_.select(from);
  for (std::vector<Tensor>* states : {&parts_.hidden, &parts_.cells})
    for (Tensor& state : *states) state = select_rows(state, from);
  if (hypotheses() != before) make_room();
}

}  // namespace heed
