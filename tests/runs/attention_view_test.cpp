#include "heed/runs/attention_view.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/decoding/folder_translator.h"
#include "heed/decoding/scoring.h"
#include "heed/models/model_config.h"
#include "small_language_model.h"
#include "small_model.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::small_config;
using heed::testing::small_vocabulary;

ModelFolder folder_of(const ModelConfig& config) {
  Rng rng(5);
  return {.config = config,
          .model = make_model(config, rng),
          .source = small_vocabulary(),
          .target = small_vocabulary()};
}

const std::string line = heed::testing::made_up_sentence(3);

TEST(AttentionViewer, LooksAtTheTranslationThatTheTranslatorFinds) {
  const ModelFolder folder = folder_of(small_config());
  const Translator translator(folder.model->prepare(Precision::float32), folder.source,
                              folder.target);
  const std::vector<Translation> expected =
      translator.translate_n_best(std::vector{line}, {.beam = 4, .n_best = 3}).front();
  const AttentionViewer viewer(folder, {.beam = 4, .most = 3});
  const std::vector<AttentionView> views = viewer.find(line);
  ASSERT_EQ(views.size(), 3);
  for (size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(views[i].source.text, line);
    EXPECT_EQ(views[i].target.text, expected[i].text);
    std::vector<int32_t> ids = expected[i].hypothesis.ids;
    ids.push_back(Vocabulary::end);
    EXPECT_EQ(views[i].recording.target, ids);
    if (!expected[i].hypothesis.cut) {
      EXPECT_NEAR(views[i].log_probability, expected[i].hypothesis.log_probability, 1e-4);
    }
  }
}

// A folder may say how its model is searched with.
TEST(AttentionViewer, SearchesAsTheFolderSays) {
  ModelFolder folder = folder_of(small_config());
  const std::string usual = AttentionViewer(folder).find(line).front().target.text;
  folder.notes.search = {.max_ratio = 1};
  const std::string shorter = AttentionViewer(folder).find(line).front().target.text;
  EXPECT_NE(shorter, usual);
  EXPECT_EQ(shorter, make_translator(folder, {}, "folder").translate(std::vector{line}).front());
}

// To this vocabulary, a tag is what it would be in the text.
TEST(AttentionViewer, ShowsTheTagAsATokenOfNoWord) {
  ModelFolder folder = folder_of(small_config());
  folder.notes.tags = {"ba"};
  const AttentionViewer plain(folder), viewer(folder, {.tag = "ba"});
  const AttentionView expected = plain.find("ba ko ri").front(),
                      found = viewer.find("ko ri").front();
  EXPECT_EQ(found.source.text, "ko ri");
  EXPECT_EQ(found.source.pieces, expected.source.pieces);
  EXPECT_EQ(found.recording.source, expected.recording.source);
  EXPECT_EQ(found.target.text, expected.target.text);
  EXPECT_EQ(found.log_probability, expected.log_probability);
  const size_t tag = small_vocabulary().encode("ba").size();
  for (size_t i = 0; i < found.source.words.size(); ++i)
    EXPECT_EQ(found.source.words[i],
              i < tag ? -1 : std::max<int64_t>(-1, expected.source.words[i] - 1));
  EXPECT_EQ(viewer.look_at("ko ri", "zu").recording.source, expected.recording.source);
  EXPECT_EQ(error_of([&] { AttentionViewer(folder, {.tag = "law"}); }),
            "the tag \"law\": the model has ba");
}

TEST(AttentionViewer, ShowsTheTokensThatTheModelSaw) {
  const ModelFolder folder = folder_of(small_config());
  const AttentionView view = AttentionViewer(folder).look_at(line, "ba ko");
  EXPECT_EQ(view.source.pieces.back(), "</s>");
  EXPECT_EQ(view.source.words.back(), -1);
  EXPECT_EQ(view.target.pieces.back(), "</s>");
  EXPECT_EQ(view.target.words.front(), 0);
  EXPECT_EQ(view.read.words.front(), -1);
  EXPECT_EQ(view.read.pieces.size(), view.target.pieces.size());
  EXPECT_EQ(view.read.pieces[1], view.target.pieces[0]);
  for (const AttentionPart part : all_attention_parts) {
    const Shape& shape = view.recording.part(part).weights.shape();
    EXPECT_EQ(shape[2], static_cast<int64_t>(view.queries(part).pieces.size()));
    EXPECT_EQ(shape[3], static_cast<int64_t>(view.keys(part).pieces.size()));
  }
  Workers workers(1);
  const double expected = score_lines(*folder.model, folder.source, folder.target,
                                      std::vector{line}, std::vector<std::string>{"ba ko"}, workers)
                              .front()
                              .log_probability;
  EXPECT_NEAR(view.log_probability, expected, 1e-4);
}

TEST(AttentionViewer, OnlyTheBestHasNormsAndGradients) {
  const std::vector<AttentionView> views =
      AttentionViewer(folder_of(small_config()), {.most = 2, .norms = true, .gradients = true})
          .find(line);
  ASSERT_EQ(views.size(), 2);
  EXPECT_TRUE(views[0].recording.part(AttentionPart::cross).norms.present());
  EXPECT_TRUE(views[0].recording.part(AttentionPart::cross).gradients.present());
  EXPECT_FALSE(views[1].recording.part(AttentionPart::cross).norms.present());
  EXPECT_FALSE(views[1].recording.part(AttentionPart::cross).gradients.present());
}

TEST(AttentionViewer, HeadsCanBeSwitchedOff) {
  const ModelFolder folder = folder_of(small_config());
  const double all = AttentionViewer(folder).look_at(line, "ba ko").log_probability;
  const auto without = [&](const char* head) {
    return AttentionViewer(folder, {.without = {head_named(head)}})
        .look_at(line, "ba ko")
        .log_probability;
  };
  EXPECT_NE(without("cross:1:1"), all);
  EXPECT_NE(without("cross:1:2"), without("cross:1:1"));
  EXPECT_NE(error_of([&] { without("cross:1:3"); }).find("cross:1:3"), std::string::npos);
}

TEST(AttentionViewer, SaysWhichLineCannotBeShown) {
  const ModelFolder folder = folder_of(small_config());
  auto endless = std::get<TransformerConfig>(small_config());
  endless.source_end = false;
  EXPECT_EQ(error_of([&] { AttentionViewer(folder_of(endless)).find(" ", 7); }),
            "attention: line 7 is empty, so there is nothing to look at");
  const std::string message =
      error_of([&] { AttentionViewer(folder, {.max_length = 3}).find("ba ko ri ba ko ri", 2); });
  EXPECT_TRUE(message.starts_with("attention: line 2 has ")) << message;
  EXPECT_TRUE(message.ends_with(" tokens with its end, but at most 3 are looked at")) << message;
  RnnConfig blind{.source_vocabulary = small_vocabulary().size(),
                  .target_vocabulary = small_vocabulary().size(),
                  .embedding = 8,
                  .hidden = 8,
                  .attention = std::nullopt};
  EXPECT_EQ(error_of([&] { AttentionViewer viewer(folder_of(blind)); }),
            "attention: this model has no attention to look at");
}

TEST(AttentionViewer, OfAnEmptyLineOnlyTheEndsAreSeen) {
  const std::vector<AttentionView> views = AttentionViewer(folder_of(small_config())).find(" ");
  ASSERT_EQ(views.size(), 1);
  EXPECT_EQ(views[0].source.pieces, std::vector<std::string>{"</s>"});
  EXPECT_EQ(views[0].target.pieces, std::vector<std::string>{"</s>"});
  EXPECT_EQ(views[0].target.text, "");
  EXPECT_TRUE(views[0].source.has_no_words());
}

TEST(AttentionViewer, TheScoreIsPerToken) {
  const AttentionView view = AttentionViewer(folder_of(small_config())).look_at(line, "ba ko");
  ASSERT_GT(view.target.pieces.size(), 1);
  EXPECT_DOUBLE_EQ(view.score() * static_cast<double>(view.target.pieces.size()),
                   view.log_probability);
}

TEST(AttentionViewer, PiecesAreWordsInScriptsWithoutSpaces) {
  const std::string text = "我爱 abc。ไทย";
  int sentences = 0;
  const Vocabulary characters =
      train_vocabulary({.kind = VocabularyKind::characters}, [&](std::string& sentence) {
        sentence = text;
        return sentences++ == 0;
      });
  auto config = std::get<TransformerConfig>(small_config());
  config.source_vocabulary = characters.size();
  config.tied = TiedEmbeddings::none;
  ModelFolder folder = folder_of(config);
  folder.source = characters;
  const AttentionView view = AttentionViewer(folder).look_at(text, "ba");
  std::vector<std::string> words;
  for (size_t i = 0; i < view.source.pieces.size(); ++i) {
    const int64_t word = view.source.words[i];
    if (word < 0) continue;
    words.resize(std::max(words.size(), static_cast<size_t>(word) + 1));
    words[static_cast<size_t>(word)] += view.source.pieces[i];
  }
  EXPECT_EQ(words, (std::vector<std::string>{"▁我", "爱", "▁abc。", "ไ", "ท", "ย"}));
}

TEST(AttentionViewer, ALanguageModelReadsTheLineItself) {
  const AttentionViewer viewer(heed::testing::small_language_model());
  const std::vector<AttentionView> views = viewer.find("ba ko");
  ASSERT_EQ(views.size(), 1u);
  const AttentionView& view = views.front();
  EXPECT_TRUE(view.is_prediction());
  EXPECT_FALSE(view.is_pair());
  EXPECT_EQ(view.line().text, "ba ko");
  EXPECT_EQ(view.target.pieces.back(), "</s>");
  EXPECT_EQ(view.read.pieces.front(), "<s>");
  EXPECT_EQ(view.read.words.front(), -1);
  EXPECT_EQ(view.read.pieces[1], view.target.pieces[0]);
}

TEST(AttentionViewer, SaysWhatItsTranslatorWouldSplit) {
  ModelFolder folder = folder_of(small_config());
  folder.lengths = {.source = 5, .target = 5, .ratio = 1};
  const AttentionViewer viewer(folder);
  std::string text = "ba";
  EXPECT_FALSE(viewer.is_unusually_long(text));
  for (int i = 0; i < 70; ++i) text += " ba";
  EXPECT_TRUE(viewer.is_unusually_long(text));
}

}  // namespace
}  // namespace heed
