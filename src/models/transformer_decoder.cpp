#include "heed/models/transformer_decoder.h"

namespace heed {

TransformerDecoder::TransformerDecoder(const Transformer& model, const TokenBatch& source,
                                       const DecoderOptions& options)
    : model_(model),
      options_(options),
      source_tape_({.record = false}),
      step_tape_({.record = false}),
      hypotheses_(source.layout.sequences()),
      longest_source_(source.layout.longest()) {
  const TokenBatch readable = model.readable(source);
  const Variable encoded = model.encode(source_tape_, readable);
  for (const DecoderLayer& layer : model.decoder_) {
    source_.push_back(layer.project_source(encoded, readable.layout));
    cache_.push_back(layer.make_cache(hypotheses()));
  }
}

Tensor TransformerDecoder::step(std::span<const int32_t> tokens) {
  hypotheses_.check_tokens(tokens, model_.config_.target_vocabulary);
  step_tape_.clear();
  const TokenBatch inputs = {{tokens.begin(), tokens.end()}, Ragged(std::vector<int64_t>(tokens.size(), 1))};
  Variable x = model_.embed(step_tape_, model_.target_embedding_, model_.target_positions_, inputs, length_);
  for (size_t i = 0; i < model_.decoder_.size(); ++i) {
    if (i > 0 && model_.adds_positions_at(static_cast<int64_t>(i)))
      x = model_.with_positions(x, inputs.layout, model_.target_positions_, length_);
    const bool last = i + 1 == model_.decoder_.size();
    const DecoderLayer::Step step = model_.decoder_[i].step(x, cache_[i], source_[i], hypotheses_.grouping(),
                                                            last && options_.want_attention);
    x = step.output;
    if (step.source_weights.present()) keep_attention(step.source_weights);
  }
  if (model_.decoder_norm_) x = (*model_.decoder_norm_)(x);
  ++length_;
  return model_.score_words(x).value();
}

// weights (sentences, heads, most hypotheses, most tokens that were read) -> the mean over the heads,
// (hypotheses, longest source).
void TransformerDecoder::keep_attention(const Tensor& weights) {
  const int64_t heads = weights.shape()[1], most = weights.shape()[2], longest = weights.shape()[3];
  const Ragged& grouping = hypotheses_.grouping();
  attention_ = Tensor::zeros({hypotheses(), longest_source_});
  for (int64_t s = 0; s < grouping.sequences(); ++s)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < grouping.length(s); ++i) {
        const float* from = weights.data<float>() + ((s * heads + h) * most + i) * longest;
        float* to = attention_.data<float>() + (grouping.begin(s) + i) * longest_source_;
        for (int64_t t = 0; t < longest; ++t) to[t] += from[t] / static_cast<float>(heads);
      }
}

void TransformerDecoder::select(std::span<const int64_t> from) {
  hypotheses_.select(from);
  for (KeyValueCache& cache : cache_) cache.select(from);
}

}  // namespace heed
