#include "heed/runs/attention_picture.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

// "▁a ▁bc d </s>" looked at by "▁x y </s>", with two heads of which the second is clearer.
AttentionView small_view() {
  AttentionView view;
  view.source = {"a bcd",
                 {"\xE2\x96\x81"
                  "a",
                  "\xE2\x96\x81"
                  "bc",
                  "d", "</s>"},
                 {0, 1, 1, -1}};
  view.target = {"xy", {"\xE2\x96\x81x", "y", "</s>"}, {0, 0, -1}};
  view.read = {"xy", {"<pad>", "\xE2\x96\x81x", "y"}, {-1, 0, 0}};
  view.recording.part(AttentionPart::cross).weights =
      Tensor::of({1, 2, 3, 4}, {0.25f, 0.25f, 0.25f, 0.25f,  //
                                0.25f, 0.25f, 0.25f, 0.25f,  //
                                0.25f, 0.25f, 0.25f, 0.25f,  //
                                0.5f,  0.25f, 0.25f, 0,      //
                                0,     0.25f, 0.75f, 0,      //
                                0,     0,     0,     1});
  return view;
}

const HeadCounts counts{.cross_layers = 1, .heads = 2};

TEST(AttentionPicture, ShowsTheClearestHeadThatTheChoiceLeaves) {
  EXPECT_EQ(clearest_head(small_view(), counts, {}), head_named("cross:1:2"));
  EXPECT_EQ(clearest_head(small_view(), counts, {.layer = 1}), head_named("cross:1:2"));
  EXPECT_EQ(clearest_head(small_view(), counts, {.head = 1}), head_named("cross:1:1"));
}

TEST(AttentionPicture, RefusesWhatTheModelHasNot) {
  EXPECT_EQ(error_of([] { chosen_part({.part = AttentionPart::encoder}, counts); }),
            "attention: this model has no attention in its encoder part");
  EXPECT_EQ(error_of([] { chosen_part({.layer = 2}, counts); }),
            "attention: layer 2 of the cross part, but it has 1");
  EXPECT_EQ(error_of([] { chosen_part({.head = 3}, counts); }),
            "attention: head 3 of a layer, but each has 2");
}

TEST(AttentionPicture, OfWordsAddsKeysAndAveragesQueries) {
  const HeatMap map = head_map(small_view(), head_named("cross:1:2"), TokenUnit::words);
  EXPECT_EQ(map.title, "Cross-attention, layer 1, head 2");
  EXPECT_EQ(map.query_labels, (std::vector<std::string>{"xy", "</s>"}));
  EXPECT_EQ(map.key_labels, (std::vector<std::string>{"a", "bcd", "</s>"}));
  const std::vector<float> expected = {0.25f, 0.75f, 0, 0, 0, 1};
  EXPECT_EQ(std::vector<float>(map.weights.span<float>().begin(), map.weights.span<float>().end()),
            expected);
}

TEST(AttentionPicture, OfPiecesIsWhatWasRecorded) {
  const HeatMap map = head_map(small_view(), head_named("cross:1:2"), TokenUnit::pieces);
  EXPECT_EQ(map.query_labels, small_view().target.pieces);
  EXPECT_EQ(map.key_labels, small_view().source.pieces);
  EXPECT_EQ(map.weights[6], 0.75);
}

TEST(AttentionPicture, OfAModelThatReadsOneText) {
  const HeadCounts encoder{.encoder_layers = 1, .heads = 1},
      decoder{.decoder_layers = 1, .heads = 1};
  EXPECT_EQ(chosen_part({}, encoder), AttentionPart::encoder);
  EXPECT_EQ(chosen_part({}, decoder), AttentionPart::decoder);
  EXPECT_EQ(chosen_part({}, counts), AttentionPart::cross);
  EXPECT_EQ(axis_names(small_view(), AttentionPart::encoder).queries, "Source");
  AttentionView view;
  view.source = {"playing a", {"[CLS]", "play", "##ing", "a", "[SEP]"}, {-1, 0, 0, 1, -1}, "##"};
  view.recording.part(AttentionPart::encoder).weights = Tensor::full({1, 1, 5, 5}, 0.2);
  EXPECT_EQ(axis_names(view, AttentionPart::encoder).queries, "Text");
  const HeatMap words = head_map(view, head_named("encoder:1:1"), TokenUnit::words),
                pieces = head_map(view, head_named("encoder:1:1"), TokenUnit::pieces);
  EXPECT_EQ(words.key_labels, (std::vector<std::string>{"[CLS]", "playing", "a", "[SEP]"}));
  EXPECT_EQ(pieces.key_labels, view.source.pieces);
  AttentionView text;
  text.target = {"x", {"x", "</s>"}, {0, -1}};
  EXPECT_EQ(axis_names(text, AttentionPart::decoder).keys, "Text read so far");
}

TEST(AttentionPicture, RecommendsTheMostConfidentHeadOfEachRole) {
  const auto head = [](const char* name, HeadRole role, double confidence) {
    DescribedHead described;
    described.name = head_named(name);
    described.role = role;
    described.figures.confidence = confidence;
    return described;
  };
  const HeadTable table{
      .heads = {head("encoder:1:1", HeadRole::mixed, 0.9),
                head("encoder:1:2", HeadRole::previous_word, 0.5),
                head("decoder:1:1", HeadRole::previous_word, 0.7),
                head("cross:1:1", HeadRole::aligns, 0.8), head("cross:1:2", HeadRole::aligns, 0.6),
                head("encoder:2:1", HeadRole::end_of_sentence, 0.6)},
      .layers = {},
      .cross_entropy = {}};
  std::vector<std::string> found;
  for (const DescribedHead& each : heads_worth_a_look(table, head_named("cross:1:1")))
    found.push_back(name_of(each.name));
  EXPECT_EQ(found, (std::vector<std::string>{"decoder:1:1", "cross:1:2", "encoder:2:1"}));
  EXPECT_EQ(heads_worth_a_look(table, head_named("cross:1:1"), 1).size(), 1);
}

}  // namespace
}  // namespace heed
