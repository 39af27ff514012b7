#include "heed/attention/head_name.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

TEST(HeadName, IsReadAsItIsWritten) {
  for (const AttentionPart part : all_attention_parts)
    for (const int64_t layer : {1, 12})
      EXPECT_EQ(head_named(name_of(HeadName{part, layer, 3})), (HeadName{part, layer, 3}));
  EXPECT_EQ(name_of(HeadName{AttentionPart::cross, 2, 3}), "cross:2:3");
  EXPECT_EQ(head_named("encoder:1:8"), (HeadName{AttentionPart::encoder, 1, 8}));
}

TEST(HeadName, RefusesOthers) {
  for (const char* name :
       {"", "cross", "cross:1", "cross:1:", "cross:0:1", "cross:1:0", "cross:1:2:", "cross:1:2:3",
        "cross:+1:2", "cross: 1:2", "cross:1:x", "self:1:1", "Cross:1:1", ":1:1", "cross:-1:1",
        "cross:99999999999999999999:1"})
    EXPECT_NE(error_of([&] { head_named(name); }), "") << name;
  EXPECT_EQ(error_of([] { head_named("2:3"); }),
            "head \"2:3\": expected PART:LAYER:HEAD such as cross:2:3, where the part is encoder, "
            "decoder or cross and layers and heads are counted from 1");
}

TEST(HeadName, AllHeadsOfAModel) {
  const std::vector<HeadName> heads =
      all_heads({.encoder_layers = 1, .decoder_layers = 0, .cross_layers = 2, .heads = 2});
  EXPECT_EQ(heads, (std::vector<HeadName>{{AttentionPart::encoder, 1, 1},
                                          {AttentionPart::encoder, 1, 2},
                                          {AttentionPart::cross, 1, 1},
                                          {AttentionPart::cross, 1, 2},
                                          {AttentionPart::cross, 2, 1},
                                          {AttentionPart::cross, 2, 2}}));
  EXPECT_TRUE(all_heads({}).empty());
}

TEST(HeadName, GatesOfALayer) {
  const HeadCounts counts{.encoder_layers = 2, .decoder_layers = 1, .cross_layers = 1, .heads = 3};
  const std::vector<HeadGate> gates = {{{AttentionPart::encoder, 2, 3}, 0.0},
                                       {{AttentionPart::decoder, 1, 1}, 0.5}};
  using Gates = std::vector<double>;
  EXPECT_EQ(gates_of_layer(AttentionPart::encoder, 2, gates, counts), (Gates{1, 1, 0}));
  EXPECT_EQ(gates_of_layer(AttentionPart::decoder, 1, gates, counts), (Gates{0.5, 1, 1}));
  EXPECT_EQ(gates_of_layer(AttentionPart::encoder, 1, gates, counts), Gates());
  EXPECT_EQ(gates_of_layer(AttentionPart::encoder, 2, gates, counts, Gates{0.2, 1, 1}),
            (Gates{0.2, 1, 0}));
}

TEST(HeadName, CountsTellTheShapeOfAModel) {
  const HeadCounts encoder{.encoder_layers = 2, .heads = 4},
      decoder{.decoder_layers = 2, .heads = 4},
      both{.encoder_layers = 2, .decoder_layers = 2, .cross_layers = 2, .heads = 4},
      recurrent{.cross_layers = 1, .heads = 1};
  EXPECT_TRUE(encoder.is_encoder_alone());
  EXPECT_TRUE(decoder.is_decoder_alone());
  for (const HeadCounts& counts : {decoder, both, recurrent, HeadCounts()})
    EXPECT_FALSE(counts.is_encoder_alone());
  for (const HeadCounts& counts : {encoder, both, recurrent, HeadCounts()})
    EXPECT_FALSE(counts.is_decoder_alone());
}

}  // namespace
}  // namespace heed
