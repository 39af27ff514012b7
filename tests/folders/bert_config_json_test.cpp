#include "heed/folders/bert_config_json.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

const std::string theirs = R"({"architectures": ["BertModel"], "model_type": "bert",
 "hidden_act": "gelu", "hidden_size": 384, "intermediate_size": 1536, "layer_norm_eps": 1e-12,
 "max_position_embeddings": 512, "num_attention_heads": 12, "num_hidden_layers": 6,
 "position_embedding_type": "absolute", "type_vocab_size": 2, "use_cache": true,
 "vocab_size": 30522, "hidden_dropout_prob": 0.2, "attention_probs_dropout_prob": 0.3})";

std::string changed(std::string_view from, std::string_view to) {
  std::string json = theirs;
  const size_t at = json.find(from);
  EXPECT_NE(at, json.npos) << from;
  return json.replace(at, from.size(), to);
}

std::string refusal(std::string_view from, std::string_view to) {
  return error_of([&] { parse_bert_config(changed(from, to), "c.json"); });
}

TEST(BertConfigJson, IsReadAsItStands) {
  const BertConfig expected = {.vocabulary = 30522,
                               .layers = 6,
                               .width = 384,
                               .ffn = 1536,
                               .heads = 12,
                               .context_length = 512,
                               .types = 2,
                               .activation = Activation::gelu,
                               .norm_epsilon = 1e-12,
                               .dropout = 0.2,
                               .attention_dropout = 0.3};
  EXPECT_EQ(parse_bert_config(theirs, "c.json"), expected);
  EXPECT_EQ(parse_bert_config(changed("\"gelu\"", "\"silu\""), "c.json").activation,
            Activation::swish);
}

TEST(BertConfigJson, WhatIsWrittenIsReadBack) {
  for (const Activation activation :
       {Activation::gelu, Activation::relu, Activation::swish, Activation::tanh}) {
    const BertConfig config = {.vocabulary = 7,
                               .layers = 3,
                               .width = 6,
                               .ffn = 5,
                               .heads = 2,
                               .context_length = 9,
                               .types = 1,
                               .activation = activation,
                               .norm_epsilon = 1e-6,
                               .dropout = 0.25,
                               .attention_dropout = 0};
    EXPECT_EQ(parse_bert_config(to_json(config), "c.json"), config);
    EXPECT_EQ(to_json(config).find("convolution"), std::string::npos);
  }
}

// Whoever does not know of the convolution must not compute without it.
TEST(BertConfigJson, WithAConvolutionIsNoBertForOthers) {
  const BertConfig config = {.vocabulary = 7, .convolution = 3};
  const std::string json = to_json(config);
  EXPECT_EQ(parse_bert_config(json, "c.json"), config);
  EXPECT_TRUE(describes_bert(json));
  EXPECT_EQ(json.find("\"bert\","), std::string::npos) << json;
  const auto refusal_of = [](const std::string& size) {
    return refusal("\"bert\"", "\"bert-with-convolution\", \"convolution_size\": " + size);
  };
  EXPECT_EQ(refusal_of("4"), "c.json: \"convolution_size\" is 4 but an odd number was expected");
  for (const char* size : {"0", "257", "\"3\"", "null"})
    EXPECT_EQ(refusal_of(size), fmt::format("c.json: \"convolution_size\" is {} but a number from "
                                            "1 to 255 was expected",
                                            size));
}

TEST(BertConfigJson, TellsABertFromOthers) {
  EXPECT_TRUE(describes_bert(theirs));
  EXPECT_FALSE(describes_bert(changed("\"bert\"", "\"llama\"")));
  EXPECT_FALSE(describes_bert("{}"));
  EXPECT_FALSE(describes_bert("[1]"));
  EXPECT_FALSE(describes_bert("no JSON"));
}

TEST(BertConfigJson, WhatCannotBeHonouredIsRefusedByName) {
  EXPECT_EQ(refusal("\"bert\"", "\"roberta\""),
            "c.json: \"model_type\" is \"roberta\" but \"bert\" was expected");
  EXPECT_EQ(refusal("\"gelu\"", "\"gelu_new\""),
            "c.json: \"hidden_act\" is \"gelu_new\" but one of gelu, relu, silu, swish, tanh was "
            "expected");
  EXPECT_EQ(refusal("\"absolute\"", "\"relative_key\""),
            "c.json: \"position_embedding_type\" is \"relative_key\" but \"absolute\" was "
            "expected");
  EXPECT_EQ(refusal("\"use_cache\"", "\"is_decoder\""),
            "c.json: \"is_decoder\" is true but false was expected");
  EXPECT_EQ(refusal("\"use_cache\"", "\"add_cross_attention\""),
            "c.json: \"add_cross_attention\" is true but false was expected");
  EXPECT_EQ(refusal("\"use_cache\": true", "\"quantization_config\": {\"bits\": 8}"),
            "c.json: \"quantization_config\" is {\"bits\":8} but none was expected");
  EXPECT_EQ(refusal("\"use_cache\": true", "\"heed\": {\"version\": 2}"),
            "c.json: version 2 but this heed reads up to version 1");
}

TEST(BertConfigJson, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(refusal("\"hidden_size\": 384", "\"hidden_size\": 0"),
            "c.json: \"hidden_size\" is 0 but a number from 1 to 65536 was expected");
  EXPECT_EQ(refusal("\"hidden_size\": 384", "\"hidden_size\": 18446744073709551615"),
            "c.json: \"hidden_size\" is 18446744073709551615 but a number from 1 to 65536 was "
            "expected");
  EXPECT_EQ(refusal("\"hidden_size\"", "\"size\""),
            "c.json: \"hidden_size\" is null but a number from 1 to 65536 was expected");
  EXPECT_EQ(refusal("\"hidden_dropout_prob\": 0.2", "\"hidden_dropout_prob\": 1"),
            "c.json: \"hidden_dropout_prob\" is 1 but a number of at least 0 and below 1 was "
            "expected");
  EXPECT_EQ(error_of([] { parse_bert_config("[]", "c.json"); }), "c.json: not a JSON object");
}

TEST(BertConfigJson, TellsWhatFollowsTheEncoder) {
  EXPECT_EQ(head_of_bert(theirs), BertHead::none);
  EXPECT_EQ(head_of_bert(changed("BertModel", "BertForMaskedLM")), BertHead::masked);
  EXPECT_EQ(head_of_bert(changed("BertModel", "BertForSequenceClassification")),
            BertHead::classifier);
  EXPECT_EQ(head_of_bert(changed("BertModel", "BertForQuestionAnswering")), BertHead::none);
  EXPECT_EQ(head_of_bert(changed("[\"BertModel\"]", "3")), BertHead::none);
  EXPECT_EQ(head_of_bert("no JSON"), BertHead::none);
  EXPECT_EQ(head_of_bert(to_json(BertConfig{}, BertHead::masked)), BertHead::masked);
}

const ClassifierDescription described = {.config = {.encoder = {.vocabulary = 30522,
                                                                .layers = 6,
                                                                .width = 384,
                                                                .ffn = 1536,
                                                                .heads = 12,
                                                                .dropout = 0.2,
                                                                .attention_dropout = 0.3},
                                                    .labels = 2,
                                                    .pooling = TextPooling::pooler,
                                                    .dropout = 0.2},
                                         .labels = {"no", "yes"}};

// The settings of a classifier, with these more.
ClassifierDescription classifier_of(const std::string& more) {
  return parse_classifier_config(changed("\"use_cache\": true", more), "c.json");
}

std::string classifier_refusal(const std::string& more) {
  return error_of([&] { classifier_of(more); });
}

TEST(ClassifierConfigJson, IsReadAsItStands) {
  EXPECT_EQ(classifier_of(R"("id2label": {"1": "yes", "0": "no"})"), described);
  EXPECT_EQ(classifier_of(R"("x": 1)").labels, (std::vector<std::string>{"LABEL_0", "LABEL_1"}));
  const ClassifierDescription several =
      classifier_of(R"("id2label": {"0": "a"}, "problem_type": "multi_label_classification",
                       "classifier_dropout": 0.5, "heed": {"version": 1, "pooling": "max"})");
  EXPECT_TRUE(several.config.several_labels);
  EXPECT_EQ(several.config.labels, 1);
  EXPECT_EQ(several.config.dropout, 0.5);
  EXPECT_EQ(several.config.pooling, TextPooling::max);
}

TEST(ClassifierConfigJson, WhatIsWrittenIsReadBack) {
  ClassifierDescription changing = described;
  for (const TextPooling pooling : {TextPooling::mean, TextPooling::max, TextPooling::first,
                                    TextPooling::attention, TextPooling::pooler})
    for (const bool several : {false, true}) {
      changing.config.pooling = pooling;
      changing.config.several_labels = several;
      const std::string json = to_json(changing);
      EXPECT_EQ(parse_classifier_config(json, "c.json"), changing);
      EXPECT_EQ(head_of_bert(json), BertHead::classifier);
    }
}

TEST(ClassifierConfigJson, WhatCannotBeHonouredIsRefusedByName) {
  EXPECT_EQ(classifier_refusal(R"("id2label": {})"),
            "c.json: \"id2label\" is {} but an object of 1 to 10000 labels was expected");
  EXPECT_EQ(classifier_refusal(R"("id2label": {"0": "a", "2": "b"})"),
            "c.json: the label \"2\" of \"id2label\" but 0 to 1 were expected");
  EXPECT_EQ(classifier_refusal(R"("id2label": {"0": "a", "1": 2})"),
            "c.json: the label 1 of \"id2label\" is not a text");
  EXPECT_EQ(classifier_refusal(R"("id2label": {"0": "a", "1": "a"})"),
            "c.json: two labels are called \"a\"");
  EXPECT_EQ(classifier_refusal(R"("id2label": {"0": "a", "1": ""})"),
            "c.json: a label has no name");
  const std::string kinds =
      "but \"single_label_classification\" or \"multi_label_classification\" was expected";
  EXPECT_EQ(classifier_refusal(R"("problem_type": "regression")"),
            "c.json: \"problem_type\" is \"regression\" " + kinds);
  EXPECT_EQ(classifier_refusal(R"("id2label": {"0": "a"})"),
            "c.json: \"problem_type\" is null " + kinds);
  EXPECT_EQ(classifier_refusal(R"("heed": {"version": 1, "pooling": "sum"})"),
            "c.json: \"pooling\" is \"sum\" but one of mean, max, first, attention, pooler was "
            "expected");
}

}  // namespace
}  // namespace heed
