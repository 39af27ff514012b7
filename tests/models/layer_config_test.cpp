#include "heed/models/layer_config.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

TEST(LayerConfig, RefusesWhatNoLayerCanHave) {
  const auto refusal = [](LayerConfig config) {
    return error_of([&] { check(config, "a model"); });
  };
  EXPECT_EQ(refusal({}), "(nothing was thrown)");
  EXPECT_EQ(refusal({.ffn = 0}), "a model: an FFN size of 0 but at least 1 was expected");
  EXPECT_EQ(refusal({.width = 10, .heads = 4}), "a model: 4 heads do not divide a width of 10");
  EXPECT_EQ(refusal({.kv_heads = 3}), "a model: 3 KV heads do not divide 8 heads");
  EXPECT_EQ(refusal({.norm_epsilon = 0}),
            "a model: an epsilon of 0 in the norms but 0 < epsilon < 1 was expected");
  EXPECT_EQ(refusal({.width = 6, .heads = 2, .positions = PositionKind::rotary}),
            "a model: rotary positions need an even head width but it is 3");
  EXPECT_EQ(refusal({.positions = PositionKind::rotary, .rotary_base = 0}),
            "a model: rotary positions with a base of 0, but it must be positive");
  EXPECT_EQ(refusal({.dropout = 1}), "a model: a dropout of 1 but 0 <= rate < 1 was expected");
}

TEST(LayerConfig, CountsTheWeightsThatATokenMeets) {
  const LayerMultiplications plain = multiplications({.width = 8, .ffn = 10, .heads = 2});
  EXPECT_EQ(plain.keys_and_values, 128);
  EXPECT_EQ(plain.queries_and_output, 128);
  EXPECT_EQ(plain.feed_forward, 160);
  const LayerMultiplications small =
      multiplications({.width = 8, .ffn = 10, .heads = 2, .kv_heads = 1, .gated = true});
  EXPECT_EQ(small.keys_and_values, 64);
  EXPECT_EQ(small.feed_forward, 240);
}

}  // namespace
}  // namespace heed
