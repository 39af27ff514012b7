#include "heed/decoding/head_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "error_of.h"
#include "heed/decoding/scoring.h"
#include "heed/decoding/word_alignment.h"
#include "heed/models/model_config.h"
#include "heed/models/recording.h"
#include "small_bert.h"
#include "small_language_model.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::made_up_sentences;
using heed::testing::small_vocabulary;

const std::vector<std::string> source_lines = made_up_sentences(9), target_lines = [] {
  std::vector<std::string> lines = made_up_sentences(9);
  std::ranges::reverse(lines);
  return lines;
}();

ParallelText text() { return {small_vocabulary(), small_vocabulary(), source_lines, target_lines}; }

std::unique_ptr<Model> small_model() {
  Rng rng(3);
  const int64_t vocabulary = small_vocabulary().size();
  return make_model(TransformerConfig{.source_vocabulary = vocabulary,
                                      .target_vocabulary = vocabulary,
                                      .encoder_layers = 2,
                                      .decoder_layers = 2,
                                      .width = 16,
                                      .ffn = 24,
                                      .heads = 2},
                    rng);
}

std::unique_ptr<Model> small_rnn(std::optional<ScoreKind> attention) {
  Rng rng(3);
  const int64_t vocabulary = small_vocabulary().size();
  return make_model(RnnConfig{.source_vocabulary = vocabulary,
                              .target_vocabulary = vocabulary,
                              .embedding = 8,
                              .hidden = 8,
                              .attention = attention},
                    rng);
}

// A link for every target word that has a source word at its place, and some possible ones.
std::vector<GoldLinks> gold_links() {
  std::vector<GoldLinks> gold;
  for (size_t i = 0; i < source_lines.size(); ++i) {
    const auto words = [](const std::string& line) { return std::ranges::count(line, ' ') + 1; };
    std::string links;
    for (int64_t w = 0; w < std::min(words(source_lines[i]), words(target_lines[i])); ++w)
      links += fmt::format("{}{}{} ", w, w % 3 == 0 ? 'p' : '-', w);
    gold.push_back(parse_gold_links(links));
  }
  return gold;
}

std::vector<int32_t> ids_of(const std::string& line) {
  std::vector<int32_t> ids = small_vocabulary().encode(line);
  ids.push_back(Vocabulary::end);
  return ids;
}

std::vector<Recording> recordings(const Model& model) {
  std::vector<Recording> all;
  for (size_t i = 0; i < source_lines.size(); ++i)
    all.push_back(
        record(model, ids_of(source_lines[i]), ids_of(target_lines[i]), {.gradients = true}));
  return all;
}

Tensor weights_of(const Recording& recording, const HeadName& head) {
  const Tensor& all = recording.part(head.part).weights;
  Tensor one = Tensor::zeros({all.shape()[2], all.shape()[3]});
  for (int64_t i = 0; i < one.elements(); ++i)
    one.span<float>()[static_cast<size_t>(i)] = static_cast<float>(
        all[((head.layer - 1) * all.shape()[1] + head.head - 1) * one.elements() + i]);
  return one;
}

void expect_equal(const HeadFigures& found, const HeadFigures& expected) {
  EXPECT_EQ(found.entropy, expected.entropy);
  EXPECT_EQ(found.confidence, expected.confidence);
  EXPECT_EQ(found.distance, expected.distance);
  EXPECT_EQ(found.coverage, expected.coverage);
  for (const KeyPlace place : all_key_places) {
    ASSERT_EQ(found.share(place).has_value(), expected.share(place).has_value());
    if (!found.share(place)) continue;
    EXPECT_EQ(found.share(place)->weight, expected.share(place)->weight);
    EXPECT_EQ(found.share(place)->largest, expected.share(place)->largest);
  }
}

TEST(HeadTable, FiguresAreThoseOfTheRecordings) {
  const auto model = small_model();
  Workers workers(1);
  const HeadTable table = describe_heads(*model, text(), workers);
  const std::vector<Recording> pairs = recordings(*model);
  std::map<int32_t, int64_t> in_source, in_target;
  for (const Recording& pair : pairs) {
    for (const int32_t id : pair.source) ++in_source[id];
    for (const int32_t id : pair.target) ++in_target[id];
  }
  in_source[Vocabulary::end] = in_target[Vocabulary::end] = 0;
  ASSERT_EQ(table.heads.size(), 12u);
  for (const DescribedHead& head : table.heads) {
    SCOPED_TRACE(name_of(head.name));
    const bool decoder = head.name.part == AttentionPart::decoder;
    HeadSums sums;
    for (const Recording& pair : pairs) {
      std::vector<int64_t> occurrences;
      for (const int32_t id : decoder ? pair.read : pair.source)
        occurrences.push_back((decoder ? in_target : in_source)[id]);
      sums += sum_head(weights_of(pair, head.name).matrix<float>(),
                       {.part = head.name.part, .occurrences = occurrences});
    }
    expect_equal(head.figures, figures_of(sums));
    EXPECT_EQ(head.role, role_of(head.name.part, head.figures));
    EXPECT_FALSE(head.alignment);
  }
  EXPECT_TRUE(table.layers.empty());
}

// An end that occurs once, after a word that occurs often.
TEST(HeadTable, NoSpecialTokenIsRare) {
  const auto model = small_model();
  Workers workers(1);
  const std::vector<std::string> one = {"ba ba ba"};
  const ParallelText single{small_vocabulary(), small_vocabulary(), one, one};
  for (const DescribedHead& head : describe_heads(*model, single, workers).heads)
    EXPECT_FALSE(head.figures.share(KeyPlace::rare)) << name_of(head.name);
}

TEST(HeadTable, ImportanceIsPerTokenAndPerLayer) {
  const auto model = small_model();
  Workers workers(1);
  const HeadTable table = describe_heads(*model, text(), workers);
  const std::vector<Recording> pairs = recordings(*model);
  double tokens = 0, log_probability = 0;
  for (const Recording& pair : pairs) {
    tokens += static_cast<double>(pair.target.size());
    log_probability +=
        std::accumulate(pair.log_probabilities.begin(), pair.log_probabilities.end(), 0.0);
  }
  EXPECT_EQ(table.tokens, static_cast<int64_t>(tokens));
  EXPECT_NEAR(table.cross_entropy.value(), -log_probability / tokens, 1e-9);
  std::map<std::pair<AttentionPart, int64_t>, double> squares;
  for (const DescribedHead& head : table.heads) {
    double sum = 0;
    for (const Recording& pair : pairs)
      sum += pair.part(head.name.part)
                 .importance.matrix<double>()(head.name.layer - 1, head.name.head - 1);
    EXPECT_NEAR(head.importance.value(), sum / tokens, 1e-12);
    EXPECT_GT(sum, 0);
    squares[{head.name.part, head.name.layer}] +=
        head.relative_importance.value() * head.relative_importance.value();
  }
  EXPECT_EQ(squares.size(), 6u);
  for (const auto& [layer, sum] : squares) EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_FALSE(describe_heads(*model, text(), workers, {.importance = false}).heads[0].importance);
}

TEST(HeadTable, AlignmentIsThatOfTheLargestWeightsOfWords) {
  const auto model = small_model();
  Workers workers(1);
  const std::vector<GoldLinks> gold = gold_links();
  const HeadTable table = describe_heads(*model, text(), workers, {.gold = gold});
  const std::vector<Recording> pairs = recordings(*model);
  const auto counts_of = [&](const std::function<Tensor(const Recording&)>& weights) {
    AlignmentCounts sum;
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::vector<WordLink> links;
      for (const auto& link : align_words(weights(pairs[i]), pairs[i].source, small_vocabulary(),
                                          pairs[i].target, small_vocabulary())
                                  .links())
        links.push_back({link.source, link.target});
      sum += count_links(links, gold[i]);
    }
    return sum;
  };
  for (const DescribedHead& head : table.heads) {
    ASSERT_EQ(head.alignment.has_value(), head.name.part == AttentionPart::cross);
    if (!head.alignment) continue;
    EXPECT_EQ(*head.alignment,
              counts_of([&](const Recording& pair) { return weights_of(pair, head.name); }));
    EXPECT_GT(head.alignment->found_possible, 0);
    EXPECT_EQ(head.role, role_of(head.name.part, head.figures, head.alignment->error_rate()));
  }
  ASSERT_EQ(table.layers.size(), 2u);
  for (const int64_t layer : {1, 2})
    EXPECT_EQ(table.layers[static_cast<size_t>(layer - 1)], counts_of([&](const Recording& pair) {
                Tensor mean = weights_of(pair, {AttentionPart::cross, layer, 1});
                const Tensor other = weights_of(pair, {AttentionPart::cross, layer, 2});
                for (size_t i = 0; i < mean.span<float>().size(); ++i)
                  mean.span<float>()[i] = (mean.span<float>()[i] + other.span<float>()[i]) / 2;
                return mean;
              }));
}

TEST(HeadTable, IsTheSameForAnyNumberOfWorkers) {
  const auto model = small_model();
  Workers one(1), three(3);
  const HeadTable alone = describe_heads(*model, text(), one),
                  together = describe_heads(*model, text(), three);
  for (size_t i = 0; i < alone.heads.size(); ++i) {
    expect_equal(together.heads[i].figures, alone.heads[i].figures);
    EXPECT_EQ(together.heads[i].importance, alone.heads[i].importance);
  }
  EXPECT_EQ(together.cross_entropy, alone.cross_entropy);
  EXPECT_EQ(ablate_heads(*model, text(), three), ablate_heads(*model, text(), one));
}

TEST(HeadTable, AblationIsTheCrossEntropyWithoutAHead) {
  const auto model = small_model();
  Workers workers(2);
  const std::vector<double> found = ablate_heads(*model, text(), workers);
  const std::vector<HeadName> heads = all_heads(model->head_counts());
  ASSERT_EQ(found.size(), heads.size());
  for (size_t i = 0; i < heads.size(); ++i) {
    const auto without = model->with_gates(std::vector{HeadGate{heads[i], 0.0}});
    const HeadTable table = describe_heads(*without, text(), workers, {.importance = false});
    EXPECT_NEAR(found[i], table.cross_entropy.value(), 1e-5);
  }
  EXPECT_GT(std::abs(found[0] - found[11]), 1e-5);
}

TEST(HeadTable, OfRecurrentNetworks) {
  Workers workers(1);
  const std::vector<GoldLinks> gold = gold_links();
  const auto model = small_rnn(ScoreKind::additive);
  const HeadTable table = describe_heads(*model, text(), workers, {.gold = gold});
  ASSERT_EQ(table.heads.size(), 1u);
  EXPECT_EQ(name_of(table.heads[0].name), "cross:1:1");
  EXPECT_EQ(table.heads[0].relative_importance, 1.0);
  EXPECT_EQ(table.heads[0].alignment, table.layers[0]);
  EXPECT_EQ(ablate_heads(*model, text(), workers).size(), 1u);

  const auto fixed = small_rnn(std::nullopt);
  EXPECT_TRUE(describe_heads(*fixed, text(), workers, {.gold = gold}).heads.empty());
  EXPECT_TRUE(ablate_heads(*fixed, text(), workers).empty());
}

TEST(HeadTable, RefusesWhatDoesNotFit) {
  const auto model = small_model();
  Workers workers(1);
  const std::vector<GoldLinks> gold = gold_links();
  const auto refusal = [&](const ParallelText& of, const HeadTableOptions& options) {
    return error_of([&] { describe_heads(*model, of, workers, options); });
  };
  ParallelText shorter = text();
  shorter.target = shorter.target.first(8);
  EXPECT_EQ(refusal(shorter, {}), "heads: 9 source lines but 8 target lines");
  EXPECT_EQ(refusal(text(), {.gold = std::span(gold).first(2)}),
            "heads: gold links of 2 pairs, but there are 9");
  ParallelText none = text();
  none.source = none.target = {};
  EXPECT_EQ(refusal(none, {}), "heads: there is no text to look at");

  const std::vector<std::string> one = {"ba"};
  const ParallelText single{small_vocabulary(), small_vocabulary(), one, one};
  const std::vector<GoldLinks> beyond = {parse_gold_links("1-1 2p1", 1)};
  EXPECT_EQ(refusal(single, {.gold = beyond, .first = 5}),
            "heads: pair 5 has 1 source and 1 target words, but a gold link between words 2 and 1, "
            "counted from 1");
  const auto tokens = static_cast<int64_t>(ids_of("ba").size());
  EXPECT_EQ(
      refusal(single, {.max_length = tokens - 1}),
      fmt::format("heads: pair 1 has {} tokens, but at most {} are looked at", tokens, tokens - 1));
}

// To this vocabulary, a tag is what it would be in the text.
TEST(HeadTable, ReadsTagsThatAreNoWords) {
  const auto model = small_model();
  Workers workers(1);
  const std::vector<TagIds> tags = {small_vocabulary().encode("ba")};
  std::vector<std::string> with_words;
  for (const std::string& line : source_lines) with_words.push_back("ba " + line);
  ParallelText tagged = text(), spelled = text();
  tagged.tags = tags;
  spelled.source = with_words;
  EXPECT_EQ(describe_heads(*model, tagged, workers).cross_entropy,
            describe_heads(*model, spelled, workers).cross_entropy);
  EXPECT_EQ(ablate_heads(*model, tagged, workers), ablate_heads(*model, spelled, workers));
  const std::vector<std::string> one = {"ko"};
  const ParallelText single{small_vocabulary(), small_vocabulary(), one, one, tags};
  const std::vector<GoldLinks> beyond = {parse_gold_links("2-1", 1)};
  EXPECT_EQ(error_of([&] { describe_heads(*model, single, workers, {.gold = beyond}); }),
            "heads: pair 1 has 1 source and 1 target words, but a gold link between words 2 and 1, "
            "counted from 1");
}

TEST(HeadTable, OfALanguageModelIsOverItsTextAlone) {
  const ModelFolder folder = heed::testing::small_language_model(64);
  const PlainText plain{folder.target, target_lines};
  Workers workers(2);
  const HeadTable table = describe_heads(*folder.model, plain, workers);
  RecordedHeads recorded(folder.model->head_counts());
  for (const std::string& line : target_lines)
    recorded.add(record(*folder.model, {}, ids_of(line), {.gradients = true}));
  const HeadTable expected = recorded.table();
  ASSERT_EQ(table.heads.size(), 4u);
  EXPECT_EQ(table.cross_entropy, expected.cross_entropy);
  EXPECT_EQ(table.tokens, expected.tokens);
  for (size_t i = 0; i < table.heads.size(); ++i) {
    EXPECT_EQ(table.heads[i].name.part, AttentionPart::decoder);
    EXPECT_EQ(table.heads[i].figures.entropy, expected.heads[i].figures.entropy);
    EXPECT_EQ(table.heads[i].importance, expected.heads[i].importance);
    EXPECT_TRUE(table.heads[i].figures.share(KeyPlace::rare));
  }
  const std::vector<double> ablated = ablate_heads(*folder.model, plain, workers);
  ASSERT_EQ(ablated.size(), 4u);
  const auto without =
      folder.model->with_gates(std::vector{HeadGate{{AttentionPart::decoder, 2, 1}, 0.0}});
  double log_probability = 0;
  for (const std::string& line : target_lines)
    for (const double token : record(*without, {}, ids_of(line)).log_probabilities)
      log_probability += token;
  EXPECT_NEAR(ablated[2], -log_probability / static_cast<double>(table.tokens), 1e-6);
  EXPECT_NE(ablated[2], *table.cross_entropy);
  EXPECT_EQ(error_of([&] { describe_heads(*folder.model, plain, workers, {.max_length = 2}); }),
            fmt::format("heads: line 1 has {} tokens, but at most 2 are looked at",
                        ids_of(target_lines[0]).size()));
}

TEST(HeadTable, OfAnEncoderAloneHasNoImportance) {
  const BertFolder bert = heed::testing::small_bert();
  const std::vector<std::string> lines = {"the playing", "a", "the the played, ab"};
  const WordPieceText words{bert.pieces, lines};
  Workers one(1), three(3);
  const HeadTable table = describe_heads(*bert.model, words, one),
                  again = describe_heads(*bert.model, words, three);
  ASSERT_EQ(table.heads.size(), 4u);
  EXPECT_FALSE(table.cross_entropy);
  EXPECT_EQ(table.tokens, 5 + 3 + 8);
  RecordedHeads recorded(bert.model->head_counts());
  for (const std::string& line : lines)
    recorded.add(record(*bert.model, {bert.pieces.encode(line), true}));
  for (size_t i = 0; i < table.heads.size(); ++i) {
    const DescribedHead& head = table.heads[i];
    EXPECT_FALSE(head.importance);
    EXPECT_EQ(head.name.part, AttentionPart::encoder);
    EXPECT_EQ(head.figures.entropy, recorded.table().heads[i].figures.entropy);
    EXPECT_TRUE(head.figures.share(KeyPlace::end));
    EXPECT_TRUE(head.figures.share(KeyPlace::rare));
    expect_equal(again.heads[i].figures, head.figures);
  }
  const std::vector<std::string> longer(1, "the the the the the the the the the the the");
  EXPECT_EQ(error_of([&] {
              describe_heads(*bert.model, {bert.pieces, longer}, one);
            }),
            "heads: line 1 has 13 tokens, but at most 12 are looked at");
}

TEST(RecordedHeads, AreDescribedLikeThoseOfAText) {
  const std::unique_ptr<Model> model = small_model();
  RecordedHeads recorded(model->head_counts());
  for (size_t i = 0; i < source_lines.size(); ++i) {
    std::vector<int32_t> source = small_vocabulary().encode(source_lines[i]),
                         target = small_vocabulary().encode(target_lines[i]);
    source.push_back(Vocabulary::end);
    target.push_back(Vocabulary::end);
    recorded.add(record(*model, source, target, {.gradients = true}));
  }
  Workers workers(1);
  const HeadTable expected = describe_heads(*model, text(), workers), found = recorded.table();
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.cross_entropy, expected.cross_entropy);
  ASSERT_EQ(found.heads.size(), expected.heads.size());
  for (size_t i = 0; i < found.heads.size(); ++i) {
    EXPECT_EQ(found.heads[i].figures.entropy, expected.heads[i].figures.entropy);
    EXPECT_EQ(found.heads[i].importance, expected.heads[i].importance);
    EXPECT_FALSE(found.heads[i].figures.share(KeyPlace::rare).has_value());
  }
}

TEST(RecordedHeads, OfNothingAreRefused) {
  EXPECT_EQ(error_of([] { RecordedHeads({.cross_layers = 1, .heads = 2}).table(); }),
            "heads: there is no text to look at");
}

}  // namespace
}  // namespace heed
