#include "training_steps.h"

#include <algorithm>
#include <span>
#include <utility>

namespace heed::bench {

TransformerConfig config_of(const ModelSize& size) {
  TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = size.vocabulary;
  config.encoder_layers = config.decoder_layers = size.layers;
  config.width = size.width;
  config.ffn = size.ffn;
  config.heads = size.heads;
  config.dropout = config.embedding_dropout = config.attention_dropout = config.activation_dropout =
      size.dropout;
  return config;
}

// Dropout is where it is by default: not in attention, whose rows are long.
LanguageModelConfig language_config_of(const ModelSize& size) {
  LanguageModelConfig config;
  config.vocabulary = size.vocabulary;
  config.layers = 2 * size.layers;
  config.width = size.width;
  config.ffn = size.ffn;
  config.heads = size.heads;
  config.dropout = config.embedding_dropout = size.dropout;
  return config;
}

namespace {

// With their end.
TokenBatch random_sentences(std::span<const int64_t> lengths, int64_t vocabulary, Rng& rng) {
  std::vector<std::vector<int32_t>> sentences;
  for (const int64_t length : lengths) {
    std::vector<int32_t> ids;
    for (int64_t t = 1; t < length; ++t)
      ids.push_back(static_cast<int32_t>(2 + rng.below(static_cast<uint64_t>(vocabulary - 3))));
    ids.push_back(0);
    sentences.push_back(std::move(ids));
  }
  return join_sentences(sentences);
}

}  // namespace

std::vector<Batch> random_step(const StepShape& shape, Rng& rng) {
  std::vector<Batch> step;
  for (int shard = 0; shard < shape.shards; ++shard) {
    std::vector<int64_t> source, target;
    for (int64_t tokens = 0; tokens < shape.tokens / shape.shards; tokens += target.back()) {
      target.push_back(6 + static_cast<int64_t>(rng.below(19)));
      source.push_back(
          std::max<int64_t>(2, target.back() - 2 + static_cast<int64_t>(rng.below(5))));
    }
    step.push_back({random_sentences(source, shape.vocabulary, rng),
                    random_sentences(target, shape.vocabulary, rng)});
  }
  return step;
}

std::vector<Batch> random_text_step(const StepShape& shape, int64_t context_length, Rng& rng) {
  const std::vector<int64_t> windows(
      static_cast<size_t>(std::max<int64_t>(1, shape.tokens / shape.shards / context_length)),
      context_length);
  std::vector<Batch> step;
  for (int shard = 0; shard < shape.shards; ++shard)
    step.push_back({{}, random_sentences(windows, shape.vocabulary, rng)});
  return step;
}

}  // namespace heed::bench
