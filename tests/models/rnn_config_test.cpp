#include "heed/models/rnn_config.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

constexpr RnnConfig usable{.source_vocabulary = 20, .target_vocabulary = 30};

template <typename Change>
std::string complaint(Change change) {
  RnnConfig config = usable;
  change(config);
  return error_of([&] { check(config); });
}

TEST(RnnConfig, TakesItsDefaults) { EXPECT_NO_THROW(check(usable)); }

TEST(RnnConfig, HalvesTheEncoderWhereADotScoreAsksForIt) {
  RnnConfig config = usable;
  config.hidden = 100;
  EXPECT_EQ(config.encoder_width(), 100);
  EXPECT_EQ(config.context_width(), 200);
  config.attention = ScoreKind::scaled_dot;
  EXPECT_EQ(config.encoder_width(), 50);
  EXPECT_EQ(config.context_width(), 100);
  config.bidirectional = false;
  EXPECT_EQ(config.encoder_width(), 100);
  config.encoder_hidden = 70;
  EXPECT_EQ(config.encoder_width(), 70);
}

TEST(RnnConfig, RefusesWhatCannotBe) {
  EXPECT_EQ(complaint([](RnnConfig& c) { c.source_vocabulary = 0; }),
            "rnn: vocabularies of 0 and 30 words, but both must be positive");
  EXPECT_EQ(
      complaint([](RnnConfig& c) { c.layers = 0; }),
      "rnn: embedding 256, hidden 256, encoder_hidden 0 and 0 layers, but they must be positive");
  EXPECT_EQ(complaint([](RnnConfig& c) { c.attention = ScoreKind::cosine; }),
            "rnn: attention by the cosine score, but additive, bilinear, dot, scaled-dot or none "
            "was expected");
  EXPECT_EQ(complaint([](RnnConfig& c) {
              c.attention = ScoreKind::dot;
              c.encoder_hidden = 100;
            }),
            "rnn: the dot score needs keys as wide as the decoder's state, but they have 200 and "
            "it has 256");
  EXPECT_EQ(
      complaint([](RnnConfig& c) {
        c.attention = ScoreKind::dot;
        c.hidden = 5;
      }),
      "rnn: the dot score needs keys as wide as the decoder's state, but they have 4 and it has 5");
  EXPECT_EQ(complaint([](RnnConfig& c) { c.dropout = 1.0; }),
            "rnn: dropout of 1 but 0 <= rate < 1 was expected");
  EXPECT_EQ(complaint([](RnnConfig& c) { c.embedding_dropout = -0.1; }),
            "rnn: embedding_dropout of -0.1 but 0 <= rate < 1 was expected");
  EXPECT_EQ(complaint([](RnnConfig& c) { c.tied = TiedEmbeddings::all; }),
            "rnn: all embeddings are tied but vocabularies of 20 and 30 words");
}

}  // namespace
}  // namespace heed
