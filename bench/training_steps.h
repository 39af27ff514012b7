// What the benchmarks of training train: Transformers and language models of three sizes, and steps
// of random sentences and texts.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/batch.h"
#include "heed/models/language_model_config.h"
#include "heed/models/transformer.h"

namespace heed::bench {

struct ModelSize {
  const char* name;
  int64_t layers, width, ffn, heads, vocabulary;
  double dropout;
};

inline constexpr ModelSize model_sizes[] = {{"4+4 layers, width 128", 4, 128, 256, 4, 10000, 0.3},
                                            {"6+6 layers, width 256", 6, 256, 1024, 4, 8000, 0.1},
                                            {"6+6 layers, width 512", 6, 512, 2048, 8, 32000, 0.1}};

TransformerConfig config_of(const ModelSize& size);

// A decoder alone, with as many layers as the encoder and the decoder of the Transformer together.
LanguageModelConfig language_config_of(const ModelSize& size);

struct StepShape {
  int64_t vocabulary = 0;
  int64_t tokens = 4096;  // of the target, about
  int shards = 4;
};

// Sentences of 6 to 24 tokens, the lengths of short descriptions.
std::vector<Batch> random_step(const StepShape& shape, Rng& rng);

// Windows of text, as long as the context.
std::vector<Batch> random_text_step(const StepShape& shape, int64_t context_length, Rng& rng);

}  // namespace heed::bench
