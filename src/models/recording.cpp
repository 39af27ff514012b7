#include "heed/models/recording.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/contributions.h"
#include "heed/autograd/linear.h"
#include "heed/base/error.h"
#include "heed/data/vocabulary.h"

namespace heed {

namespace {

using kernels::MatrixView;

TokenBatch one_sentence(std::span<const int32_t> ids) {
  return {{ids.begin(), ids.end()}, Ragged({static_cast<int64_t>(ids.size())})};
}

void check_length(size_t tokens, int64_t most) {
  require(static_cast<int64_t>(tokens) <= most,
          "record: a sentence of {} tokens, but the model reads at most {}", tokens, most);
}

void check(const AttentiveModel& model, std::span<const int32_t> source,
           std::span<const int32_t> target, const RecordOptions& options) {
  require((!source.empty() || model.head_counts().is_decoder_alone()) && !target.empty(),
          "record: a source of {} tokens and a target of {}, but each has at least its end",
          source.size(), target.size());
  check_length(std::max(source.size(), target.size()), model.max_length());
  for (const int64_t token : options.tokens)
    require(token >= 0 && token < static_cast<int64_t>(target.size()), ErrorKind::usage,
            "record: target token {} was chosen, but there are {}", token, target.size());
}

// What the logits say of one token. They become the gradient of its log-probability, or zeros if
// it is not chosen.
template <typename T>
double turn_into_gradient(std::span<T> logits, int32_t token, bool chosen) {
  const double largest = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0;
  for (const T logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  const double log_sum = largest + std::log(sum);
  const double found = static_cast<double>(logits[static_cast<size_t>(token)]) - log_sum;
  for (T& logit : logits)
    logit = chosen ? static_cast<T>(-std::exp(static_cast<double>(logit) - log_sum)) : T(0);
  if (chosen) logits[static_cast<size_t>(token)] += T(1);
  return found;
}

// Fills in the log-probabilities; gives the gradient of their sum over the chosen tokens.
template <typename T>
Tensor score_tokens(const Tensor& logits, const RecordOptions& options, Recording& recording) {
  Tensor gradient = logits.clone();
  const MatrixView<T> rows = gradient.matrix<T>();
  for (int64_t t = 0; t < rows.rows; ++t) {
    const bool chosen =
        options.tokens.empty() || std::ranges::find(options.tokens, t) != options.tokens.end();
    recording.log_probabilities.push_back(
        turn_into_gradient<T>({rows.row(t), static_cast<size_t>(rows.columns)},
                              recording.target[static_cast<size_t>(t)], chosen));
    require(std::isfinite(recording.log_probabilities.back()),
            "record: the model's scores of a token are not numbers");
  }
  return gradient;
}

// One layer's array among those of all layers of its part.
void put(const Tensor& of_layer, int64_t layer, int64_t layers, Tensor& all) {
  const Shape& shape = of_layer.shape();
  if (!all.present()) all = Tensor::zeros({layers, shape[0], shape[1], shape[2]}, of_layer.type());
  all.slice(layer - 1, layer).reshape(shape).copy_from(of_layer);
}

void keep(const RecordedAttention& attention, const HeadCounts& counts,
          const RecordOptions& options, RecordedPart& part) {
  const int64_t layer = attention.layer, layers = counts.layers(attention.part);
  const Shape& shape = attention.weights.shape();
  put(attention.weights.reshape({shape[1], shape[2], shape[3]}), layer, layers, part.weights);
  if (options.norms) put(contribution_norms(attention), layer, layers, part.norms);
  if (!options.gradients) return;
  const HeadGradients gradients =
      head_gradients(attention, attention.part == AttentionPart::decoder);
  put(gradients.weights, layer, layers, part.gradients);
  if (!part.importance.present())
    part.importance = Tensor::zeros({layers, counts.heads}, Type::float64);
  for (int64_t head = 0; head < counts.heads; ++head)
    part.importance.matrix<double>()(layer - 1, head) =
        std::abs(gradients.gates[static_cast<size_t>(head)]);
}

}  // namespace

Tensor RecordedPart::weights_of(const HeadName& head) const {
  const Shape& shape = weights.shape();
  const int64_t index = (head.layer - 1) * shape[1] + head.head - 1;
  return weights.reshape({shape[0] * shape[1], shape[2], shape[3]})
      .slice(index, index + 1)
      .reshape({shape[2], shape[3]});
}

Recording record(const AttentiveModel& model, std::span<const int32_t> source,
                 std::span<const int32_t> target, const RecordOptions& options) {
  check(model, source, target, options);
  const Batch batch{one_sentence(source), one_sentence(target)};
  const OutputLayer output = model.output_layer();
  const auto start = static_cast<int32_t>(output.weight.shape()[0]) - 1;
  Recording recording;
  recording.source = model.readable(batch.source).ids;
  recording.ends = !recording.source.empty() && recording.source.back() == Vocabulary::end;
  recording.target = batch.target.ids;
  recording.read = shifted_right(batch, start).ids;

  Tape tape({.record = options.gradients});
  AttentionRecorder recorder;
  const Variable features = model.recorded_features(tape, batch, &recorder);
  const Variable bias = output.bias.present() ? tape.constant(output.bias) : Variable();
  const Variable logits = linear(features, tape.constant(output.weight), bias);
  const Tensor gradient = with_type(logits.type(), [&](auto zero) {
    return score_tokens<decltype(zero)>(logits.value(), options, recording);
  });
  if (options.gradients) tape.backward(logits, gradient);
  for (const RecordedAttention& attention : recorder.attentions())
    keep(attention, model.head_counts(), options, recording.part(attention.part));
  return recording;
}

Recording record(const EncodingModel& model, const FramedText& text, bool norms) {
  require(!text.ids.empty(), "record: a text of no tokens, but at least one was expected");
  check_length(text.ids.size(), model.max_length());
  Recording recording;
  recording.source.assign(text.ids.begin(), text.ids.end());
  recording.ends = text.ends;
  Tape tape({.record = false});
  AttentionRecorder recorder;
  model.encode(tape, one_sentence(text.ids), &recorder);
  for (const RecordedAttention& attention : recorder.attentions())
    keep(attention, model.head_counts(), {.norms = norms}, recording.part(attention.part));
  return recording;
}

}  // namespace heed
