#include "heed/data/subword_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

SentencePieceModel model_of(VocabularyKind kind) {
  SentencePieceModel model;
  model.kind = kind;
  model.pieces = {{"</s>", 0, PieceType::control},
                  {"<unk>", 0, PieceType::unknown},
                  {"a", -2},
                  {"b", -3},
                  {"c", -2.5f},
                  {"ab", -1},
                  {"bc", -1.5f},
                  {"abc", -4}};
  return model;
}

constexpr int draws = 20000;

std::map<Ids, int> drawn(const SubwordSampler& sampler, std::string_view text, double alpha) {
  std::map<Ids, int> counts;
  for (uint64_t i = 0; i < draws; ++i) ++counts[sampler.sample(text, alpha, make_key(i))];
  return counts;
}

// Four deviations of a share of that many draws.
double tolerance(double share) { return 4 * std::sqrt(share * (1 - share) / draws) + 1e-9; }

TEST(SubwordSampler, DrawsUnigramSegmentationsByTheirProbability) {
  const SubwordSampler sampler(model_of(VocabularyKind::unigram));
  const std::map<Ids, double> log_probability = {
      {{2, 3, 4}, -7.5}, {{5, 4}, -3.5}, {{2, 6}, -3.5}, {{7}, -4}};
  for (const double alpha : {0.0, 0.3, 1.0}) {
    double total = 0;
    for (const auto& [ids, score] : log_probability) total += std::exp(alpha * score);
    const std::map<Ids, int> counts = drawn(sampler, "abc", alpha);
    EXPECT_EQ(counts.size(), 4u);
    for (const auto& [ids, score] : log_probability) {
      const double share = std::exp(alpha * score) / total;
      EXPECT_NEAR(counts.at(ids) / double{draws}, share, tolerance(share)) << alpha;
    }
  }
}

TEST(SubwordSampler, LeavesOutBpeMergesAtTheirRate) {
  const SubwordSampler sampler(model_of(VocabularyKind::bpe));
  // "ab" is the best merge, then "abc"; where "ab" is left out, "bc" may come, and "abc" after it.
  const double p = 0.25, q = 1 - p;
  const std::map<Ids, double> shares = {
      {{7}, q * q + p * q * q}, {{5, 4}, q * p}, {{2, 6}, p * q * p}, {{2, 3, 4}, p * p}};
  const std::map<Ids, int> counts = drawn(sampler, "abc", p);
  EXPECT_EQ(counts.size(), 4u);
  for (const auto& [ids, share] : shares)
    EXPECT_NEAR(counts.at(ids) / double{draws}, share, tolerance(share));
  EXPECT_EQ(sampler.sample("abcab", 0, make_key(1)), (Ids{7, 5}));
  EXPECT_EQ(sampler.sample("abcab", 1, make_key(1)), (Ids{2, 3, 4, 2, 3}));
}

TEST(SubwordSampler, UnknownCharactersAreOneUnknownOrTheirBytes) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    SentencePieceModel model = model_of(kind);
    EXPECT_EQ(SubwordSampler(model).sample("aé€b", 0.5, make_key(1)), (Ids{2, 1, 3}));
    std::vector<std::string> names;
    for (int byte = 0; byte < 256; ++byte)
      model.pieces.push_back({"<0x>", 0, PieceType::byte, static_cast<uint8_t>(byte)});
    EXPECT_EQ(SubwordSampler(model).sample("aéb", 0.5, make_key(1)),
              (Ids{2, 8 + 0xC3, 8 + 0xA9, 3}));
  }
}

TEST(SubwordSampler, AnEmptyTextHasNoPieces) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe})
    EXPECT_EQ(SubwordSampler(model_of(kind)).sample("", 0.5, make_key(1)), Ids{});
}

TEST(SubwordSampler, KnowsWhichModelsHaveOneEncodingOnly) {
  EXPECT_TRUE(SubwordSampler(model_of(VocabularyKind::unigram)).can_sample());
  EXPECT_TRUE(SubwordSampler(model_of(VocabularyKind::bpe)).can_sample());
  EXPECT_FALSE(SubwordSampler(model_of(VocabularyKind::characters)).can_sample());
  EXPECT_FALSE(SubwordSampler(model_of(VocabularyKind::words)).can_sample());
  SentencePieceModel model = model_of(VocabularyKind::unigram);
  model.pieces.push_back({"<name>", 0, PieceType::user_defined});
  EXPECT_FALSE(SubwordSampler(model).can_sample());
}

TEST(SubwordSampler, ALongTextKeepsItsPrecision) {
  const SubwordSampler sampler(model_of(VocabularyKind::unigram));
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "abc";
  const Ids ids = sampler.sample(text, 1.0, make_key(3));
  EXPECT_GT(ids.size(), 5000u);
  EXPECT_LT(ids.size(), 15000u);
}

}  // namespace
}  // namespace heed
