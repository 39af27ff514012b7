#include "heed/models/transformer_decoder.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

TransformerDecoder::TransformerDecoder(const Transformer& model, const TokenBatch& source,
                                       const DecoderOptions& options)
    : model_(model), options_(options), source_tape_({.record = false}), step_tape_({.record = false}) {
  const Variable encoded = model.encode(source_tape_, source);
  const int64_t sentences = source.layout.sequences();
  for (const DecoderLayer& layer : model.decoder_) {
    source_.push_back(layer.project_source(encoded, source.layout));
    cache_.push_back(layer.make_cache(sentences));
  }
  grouping_ = Ragged(std::vector<int64_t>(static_cast<size_t>(sentences), 1));
}

Tensor TransformerDecoder::step(std::span<const int32_t> tokens) {
  require(static_cast<int64_t>(tokens.size()) == hypotheses(), "decode: {} tokens for {} hypotheses",
          tokens.size(), hypotheses());
  step_tape_.clear();
  const TokenBatch inputs = {{tokens.begin(), tokens.end()}, Ragged(std::vector<int64_t>(tokens.size(), 1))};
  Variable x = model_.embed(step_tape_, model_.target_embedding_, model_.target_positions_, inputs, length_);
  for (size_t i = 0; i < model_.decoder_.size(); ++i) {
    if (i > 0 && model_.adds_positions_at(static_cast<int64_t>(i)))
      x = model_.with_positions(x, inputs.layout, model_.target_positions_, length_);
    const bool last = i + 1 == model_.decoder_.size();
    const DecoderLayer::Step step =
        model_.decoder_[i].step(x, cache_[i], source_[i], grouping_, last && options_.want_attention);
    x = step.output;
    if (step.source_weights.present()) keep_attention(step.source_weights);
  }
  if (model_.decoder_norm_) x = (*model_.decoder_norm_)(x);
  ++length_;
  const OutputLayer output = model_.output_layer();
  return linear(x, step_tape_.constant(output.weight), step_tape_.constant(output.bias)).value();
}

// weights (sentences, heads, most hypotheses, longest source) -> the mean over the heads, (hypotheses,
// longest source).
void TransformerDecoder::keep_attention(const Tensor& weights) {
  const int64_t heads = weights.shape()[1], most = weights.shape()[2], longest = weights.shape()[3];
  attention_ = Tensor::zeros({hypotheses(), longest});
  for (int64_t s = 0; s < grouping_.sequences(); ++s)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < grouping_.length(s); ++i) {
        const float* from = weights.data<float>() + ((s * heads + h) * most + i) * longest;
        float* to = attention_.data<float>() + (grouping_.begin(s) + i) * longest;
        for (int64_t t = 0; t < longest; ++t) to[t] += from[t] / static_cast<float>(heads);
      }
}

void TransformerDecoder::select(std::span<const int64_t> from) {
  std::vector<int64_t> counts(static_cast<size_t>(grouping_.sequences()), 0);
  int64_t sentence = 0;
  for (const int64_t index : from) {
    require(index >= 0 && index < hypotheses(), "decode: hypothesis {} of {} was asked for", index,
            hypotheses());
    require(index >= grouping_.begin(sentence),
            "decode: the hypotheses to keep are not in the order of their sentences");
    while (index >= grouping_.end(sentence)) ++sentence;
    ++counts[static_cast<size_t>(sentence)];
  }
  grouping_ = Ragged(counts);
  for (KeyValueCache& cache : cache_) cache.select(from);
}

}  // namespace heed
