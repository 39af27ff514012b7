#include "heed/runs/attention_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/models/model_config.h"
#include "heed/runs/encoder_view.h"
#include "small_bert.h"
#include "small_language_model.h"
#include "small_model.h"

namespace heed {
namespace {

using heed::testing::small_config;
using heed::testing::small_vocabulary;
using nlohmann::json;

ModelFolder folder_of(const ModelConfig& config) {
  Rng rng(5);
  return {.config = config,
          .model = make_model(config, rng),
          .source = small_vocabulary(),
          .target = small_vocabulary()};
}

HeadTable table_of(const AttentionView& view, const HeadCounts& counts) {
  RecordedHeads heads(counts);
  heads.add(view.recording);
  return heads.table();
}

TEST(AttentionText, JsonHasEveryWeightAsItIs) {
  const AttentionViewer viewer(folder_of(small_config()), {.gradients = true});
  const AttentionView view = viewer.look_at("ba ko ri", "ko \"ba\" </s>");
  const HeadName shown{.part = AttentionPart::decoder, .layer = 1, .head = 2};
  const std::string text = attention_json(view, table_of(view, viewer.head_counts()), shown);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const json object = json::parse(text);
  EXPECT_EQ(object["source"]["text"], "ba ko ri");
  EXPECT_EQ(object["target"]["text"], "ko \"ba\" </s>");
  EXPECT_EQ(object["source"]["pieces"], view.source.pieces);
  EXPECT_EQ(object["target"]["words"], view.target.words);
  EXPECT_EQ(object["log-probability"], view.log_probability);
  EXPECT_EQ(object["score"], view.score());
  EXPECT_EQ(object["shown"], json({{"part", "decoder"}, {"layer", 1}, {"head", 2}}));
  for (const AttentionPart part : all_attention_parts) {
    const Tensor& weights = view.recording.part(part).weights;
    const Shape& shape = weights.shape();
    const json& array = object["attention"][std::string(name_of(part))];
    ASSERT_EQ(array.size(), shape[0]);
    ASSERT_EQ(array[0].size(), shape[1]);
    int64_t element = 0;
    for (const json& layer : array)
      for (const json& head : layer) {
        ASSERT_EQ(head.size(), shape[2]);
        for (const json& row : head) {
          ASSERT_EQ(row.size(), shape[3]);
          for (const json& weight : row)
            ASSERT_EQ(weight.get<float>(), weights.span<float>()[element++]);
        }
      }
    EXPECT_EQ(element, weights.elements());
  }
  ASSERT_EQ(object["heads"].size(), 6);
  const json& last = object["heads"][5];
  EXPECT_EQ(last["part"], "cross");
  EXPECT_EQ(last["layer"], 1);
  EXPECT_EQ(last["head"], 2);
  EXPECT_TRUE(last["role"].is_string());
  EXPECT_GT(last["figures"]["entropy"], 0.0);
  EXPECT_GT(last["figures"]["importance"], 0.0);
}

TEST(AttentionText, EntropyIsInBits) {
  DescribedHead head;
  head.figures.entropy = std::log(8.0);
  for (const auto& [name, value] : named_figures(head))
    if (name == "entropy") {
      EXPECT_NEAR(value, 3.0, 1e-12);
    }
}

TEST(AttentionText, PartsThatAModelHasNotAreEmpty) {
  const int64_t vocabulary = small_vocabulary().size();
  const AttentionViewer viewer(folder_of(RnnConfig{.source_vocabulary = vocabulary,
                                                   .target_vocabulary = vocabulary,
                                                   .embedding = 8,
                                                   .hidden = 8}));
  const AttentionView view = viewer.look_at("ba ko ri", "ko ba");
  const json object = json::parse(attention_json(view, table_of(view, viewer.head_counts()), {}));
  EXPECT_EQ(object["attention"]["encoder"], json::array());
  EXPECT_EQ(object["attention"]["decoder"], json::array());
  EXPECT_EQ(object["attention"]["cross"].size(), 1);
  EXPECT_EQ(page_sentences({view}, 0)[0].parts.size(), 1);
}

TEST(AttentionText, SidesThatAModelHasNotAreLeftOut) {
  const BertFolder bert = heed::testing::small_bert();
  const EncoderViewer encoder(*bert.model, bert.pieces, {.norms = true});
  const AttentionView read = encoder.find("the playing").front();
  const json object = json::parse(attention_json(read, table_of(read, encoder.head_counts()), {}));
  EXPECT_EQ(object["source"]["text"], "the playing");
  EXPECT_EQ(object["source"]["words"], (std::vector<int>{-1, 0, 1, 1, -1}));
  EXPECT_FALSE(object.contains("target"));
  EXPECT_FALSE(object.contains("score"));
  EXPECT_EQ(object["attention"]["encoder"].size(), 2);
  EXPECT_FALSE(object["heads"][0]["figures"].contains("importance"));
  const PageSentence sentence = page_sentences({read}, 0)[0];
  EXPECT_EQ(sentence.name, "the playing");
  EXPECT_FALSE(sentence.score);
  ASSERT_EQ(sentence.tokens.size(), 1);
  EXPECT_EQ(sentence.tokens[0].title, "Text");
  EXPECT_EQ(sentence.tokens[0].continuation, "##");
  EXPECT_TRUE(sentence.parts[0].norms.has_value());
  EXPECT_FALSE(json::parse(head_table_json(table_of(read, encoder.head_counts())))
                   .contains("cross-entropy"));

  const AttentionViewer language(heed::testing::small_language_model());
  const AttentionView text = language.find("ba ko").front();
  const json predicted =
      json::parse(attention_json(text, table_of(text, language.head_counts()), {}));
  EXPECT_FALSE(predicted.contains("source"));
  EXPECT_EQ(predicted["target"]["text"], "ba ko");
  EXPECT_TRUE(predicted.contains("score"));
  EXPECT_EQ(page_sentences({text}, 0)[0].name, "ba ko");
  ASSERT_EQ(page_sentences({text}, 0)[0].tokens.size(), 2);
}

TEST(AttentionText, ColumnsAreTheFiguresThatThereAre) {
  const AttentionViewer viewer(folder_of(small_config()));
  const AttentionView view = viewer.look_at("ba ko ri", "ko ba");
  HeadTable table = table_of(view, viewer.head_counts());
  const auto has = [&](const std::string& key) {
    return std::ranges::any_of(figure_columns(table),
                               [&](const PageColumn& column) { return column.key == key; });
  };
  EXPECT_TRUE(has("entropy"));
  EXPECT_TRUE(has("self"));
  EXPECT_FALSE(has("importance"));
  EXPECT_FALSE(has("aer"));
  table.heads.back().alignment = AlignmentCounts{.found = 2, .sure = 2, .found_sure = 1};
  EXPECT_TRUE(has("aer"));
  for (const DescribedHead& head : table.heads)
    for (const auto& [name, value] : named_figures(head)) EXPECT_TRUE(has(name)) << name;
}

TEST(AttentionText, AlternativesFollowTheirTranslation) {
  const AttentionViewer viewer(folder_of(small_config()),
                               {.most = 3, .norms = true, .gradients = true});
  const std::vector<AttentionView> views = viewer.find("ba ko ri");
  const std::vector<PageSentence> sentences = page_sentences(views, 4);
  ASSERT_EQ(sentences.size(), 3);
  ASSERT_EQ(sentences[0].alternatives.size(), 2);
  EXPECT_EQ(sentences[0].alternatives[1].sentence, 6);
  EXPECT_EQ(sentences[0].alternatives[1].text, views[2].target.text);
  EXPECT_FALSE(sentences[0].of.has_value());
  EXPECT_EQ(sentences[2].of, 4);
  EXPECT_EQ(sentences[2].score, views[2].score());
  EXPECT_TRUE(sentences[0].parts[2].norms.has_value());
  EXPECT_FALSE(sentences[1].parts[2].norms.has_value());
  EXPECT_TRUE(sentences[0].parts[1].causal);
  EXPECT_EQ(sentences[0].parts[1].keys, "read");
}

TEST(AttentionText, OfLongTextsAPageHasOnlyTheWeights) {
  AttentionView view;
  RecordedPart& cross = view.recording.part(AttentionPart::cross);
  cross.weights = Tensor::zeros({1, 8, 512, 512});
  EXPECT_FALSE(page_has_only_weights(view));
  view.recording.part(AttentionPart::encoder).weights = Tensor::zeros({2, 8, 512, 512});
  EXPECT_TRUE(page_has_only_weights(view));
}

}  // namespace
}  // namespace heed
