#include "heed/runs/encoder_view.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "external_data.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "small_bert.h"

namespace heed {
namespace {

using testing::error_of;
using testing::small_bert;

TEST(EncoderViewer, LooksAtTheTextThatTheModelReads) {
  const BertFolder bert = small_bert();
  const EncoderViewer viewer(*bert.model, bert.pieces);
  const std::vector<AttentionView> views = viewer.find("The playing");
  ASSERT_EQ(views.size(), 1u);
  const AttentionView& view = views.front();
  EXPECT_EQ(view.line().text, "The playing");
  EXPECT_EQ(view.source.pieces,
            (std::vector<std::string>{"[CLS]", "the", "play", "##ing", "[SEP]"}));
  EXPECT_FALSE(view.is_prediction());
  EXPECT_FALSE(view.is_pair());
  EXPECT_TRUE(view.recording.ends);
  EXPECT_EQ(view.recording.part(AttentionPart::encoder).weights.shape(), (Shape{2, 2, 5, 5}));
  EXPECT_FALSE(view.recording.part(AttentionPart::encoder).norms.present());
  EXPECT_TRUE(EncoderViewer(*bert.model, bert.pieces, {.norms = true})
                  .find("a")
                  .front()
                  .recording.part(AttentionPart::encoder)
                  .norms.present());
  EXPECT_TRUE(viewer.find("").front().source.has_no_words());
}

TEST(EncoderViewer, HeadsCanBeSwitchedOff) {
  const BertFolder bert = small_bert();
  const auto last = [&](const ViewOptions& options) {
    const AttentionView view =
        EncoderViewer(*bert.model, bert.pieces, options).find("a the").front();
    const Tensor weights =
        view.recording.part(AttentionPart::encoder).weights_of(head_named("encoder:2:1"));
    return std::vector<float>(weights.span<float>().begin(), weights.span<float>().end());
  };
  EXPECT_NE(last({}), last({.without = {head_named("encoder:1:1")}}));
  EXPECT_EQ(last({}), last({.without = {head_named("encoder:2:2")}}));
  EXPECT_NE(error_of([&] { last({.without = {head_named("cross:1:1")}}); }).find("cross:1:1"),
            std::string::npos);
}

TEST(EncoderViewer, SaysWhichLineIsTooLong) {
  const BertFolder bert = small_bert();
  EXPECT_EQ(
      error_of([&] { EncoderViewer(*bert.model, bert.pieces).find("a a a a a a a a a a a", 4); }),
      "attention: line 4 has 13 tokens with its frame, but at most 12 fit into the model");
}

// As PyTorch computed it for a real model. Its figures have six digits.
TEST(EncoderViewer, OfARealModelEqualsPyTorchs) {
  const auto folder = testing::external_data("minilm");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const BertFolder bert = load_bert_folder(folder);
  const EncoderViewer viewer(*bert.model, bert.pieces);
  int64_t weights = 0;
  for (const JsonValue& one : JsonValue::parse(MappedFile(folder / "golden.json").text())) {
    if (!one.contains("attention")) continue;
    const AttentionView view = viewer.find(one["text"].get<std::string>()).front();
    for (const HeadName& name : all_heads(viewer.head_counts())) {
      const JsonValue& head =
          one["attention"][static_cast<size_t>(name.layer - 1)][static_cast<size_t>(name.head - 1)];
      const Tensor found = view.recording.part(name.part).weights_of(name);
      ASSERT_EQ(found.shape()[0], static_cast<int64_t>(head.size()));
      for (size_t query = 0; query < head.size(); ++query)
        for (size_t key = 0; key < head[query].size(); ++key, ++weights)
          ASSERT_NEAR(found.row<float>(static_cast<int64_t>(query))[key],
                      head[query][key].get<double>(), 1e-5)
              << name_of(name);
    }
  }
  EXPECT_GT(weights, 72 * 100);
}

}  // namespace
}  // namespace heed
