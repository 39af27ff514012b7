#include "heed/models/model.h"

#include <gtest/gtest.h>

#include "heed/models/transformer.h"

namespace heed {
namespace {

TEST(Model, ItsLossIsTheCrossEntropyOfItsLogits) {
  Rng rng(1);
  const Transformer model({.source_vocabulary = 9,
                           .target_vocabulary = 9,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .width = 8,
                           .ffn = 8,
                           .heads = 2},
                          rng);
  const Batch batch = {join_sentences(std::vector<std::vector<int32_t>>{{3, 4, 0}}),
                       join_sentences(std::vector<std::vector<int32_t>>{{5, 0}})};
  Tape tape;
  const Variable scores = logits(tape, model, batch);
  EXPECT_EQ(scores.shape(), (Shape{2, 9}));
  for (const double smoothing : {0.0, 0.1}) {
    const CrossEntropyOptions options = {.label_smoothing = smoothing};
    EXPECT_NEAR(model.loss(tape, batch, options).value()[0],
                cross_entropy(scores, batch.target.ids, options).value()[0], 1e-5);
  }
}

}  // namespace
}  // namespace heed
