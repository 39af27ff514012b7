#include "heed/models/transformer_decoder.h"

#include "heed/base/error.h"

namespace heed {

namespace {

// Counted from 0.
size_t chosen_layer(const AttentionChoice& choice, const TransformerConfig& config) {
  require(choice.layer >= 0 && choice.layer <= config.decoder_layers,
          "attention of layer {} was asked for, but the decoder has {} layers", choice.layer,
          config.decoder_layers);
  require(choice.head >= 0 && choice.head <= config.heads,
          "attention of head {} was asked for, but a layer has {} heads", choice.head,
          config.heads);
  return static_cast<size_t>(choice.layer == 0 ? config.decoder_layers : choice.layer) - 1;
}

}  // namespace

TransformerDecoder::TransformerDecoder(const Transformer& model, const TokenBatch& source,
                                       const DecoderOptions& options)
    : model_(model),
      options_(options),
      source_tape_({.record = false, .arenas = &model.arenas()}),
      step_tape_({.record = false, .arenas = &model.arenas()}),
      hypotheses_(source.layout.sequences()),
      longest_source_(source.layout.longest()),
      attention_layer_(chosen_layer(options.attention, model.config())) {
  const TokenBatch readable = model.readable(source);
  const Variable encoded = model.encode(source_tape_, readable);
  for (const DecoderLayer& layer : model.decoder_) {
    source_.push_back(layer.project_source(encoded, readable.layout));
    cache_.push_back(layer.make_cache(hypotheses(), source_tape_));
  }
}

Tensor TransformerDecoder::step(std::span<const int32_t> tokens) {
  hypotheses_.check_tokens(tokens, model_.config_.target_vocabulary);
  if (tokens.empty()) return Tensor::zeros({0, model_.config_.target_vocabulary});
  step_tape_.clear();
  const TokenBatch inputs = {{tokens.begin(), tokens.end()},
                             Ragged(std::vector<int64_t>(tokens.size(), 1))};
  Variable x =
      model_.embed(step_tape_, model_.target_embedding_, model_.target_positions_, inputs, length_);
  for (size_t i = 0; i < model_.decoder_.size(); ++i) {
    if (i > 0 && model_.adds_positions_at(static_cast<int64_t>(i)))
      x = model_.with_positions(x, inputs.layout, model_.target_positions_, length_);
    const bool looked_at = options_.want_attention && i == attention_layer_;
    const DecoderLayer::Step step =
        model_.decoder_[i].step(x, cache_[i], source_[i], hypotheses_.grouping(), looked_at);
    x = step.output;
    if (step.source_weights.present()) keep_attention(step.source_weights);
  }
  if (model_.decoder_norm_) x = (*model_.decoder_norm_)(x);
  ++length_;
  return model_.score_words(x).value();
}

// weights (sentences, heads, most hypotheses, most tokens that were read) -> those of the chosen
// head or the mean over all, (hypotheses, longest source).
void TransformerDecoder::keep_attention(const Tensor& weights) {
  const int64_t heads = weights.shape()[1], most = weights.shape()[2], longest = weights.shape()[3];
  const Ragged& grouping = hypotheses_.grouping();
  const int64_t chosen = options_.attention.head;
  const int64_t first = chosen == 0 ? 0 : chosen - 1, end = chosen == 0 ? heads : chosen;
  attention_ = Tensor::zeros({hypotheses(), longest_source_});
  for (int64_t s = 0; s < grouping.sequences(); ++s)
    for (int64_t h = first; h < end; ++h)
      for (int64_t i = 0; i < grouping.length(s); ++i) {
        const float* from = weights.data<float>() + ((s * heads + h) * most + i) * longest;
        float* to = attention_.data<float>() + (grouping.begin(s) + i) * longest_source_;
        for (int64_t t = 0; t < longest; ++t) to[t] += from[t] / static_cast<float>(end - first);
      }
}

void TransformerDecoder::select(std::span<const int64_t> from) {
  hypotheses_.select(from);
  for (KeyValueCache& cache : cache_) cache.select(from);
}

}  // namespace heed
