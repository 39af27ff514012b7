#include "heed/runs/attention_watch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.h"
#include "heed/decoding/head_table.h"
#include "heed/runs/attention_text.h"
#include "tensors.h"
#include "watched_model.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::made_up_sentence;
using heed::testing::small_config;
using heed::testing::small_vocabulary;
using heed::testing::values_of;
using heed::testing::watched_step;

ModelFolder folder_of(int64_t step) {
  Rng rng(static_cast<uint64_t>(step));
  return {.config = small_config(),
          .model = make_model(small_config(), rng),
          .source = small_vocabulary(),
          .target = small_vocabulary()};
}

void expect_same(const AttentionView& found, const AttentionView& expected) {
  EXPECT_EQ(found.target.pieces, expected.target.pieces);
  EXPECT_EQ(found.log_probability, expected.log_probability);
  for (const AttentionPart part : all_attention_parts)
    EXPECT_EQ(values_of(found.recording.part(part).weights),
              values_of(expected.recording.part(part).weights));
}

TEST(AttentionWatch, SeesWhatHeedAttentionWouldSee) {
  const WatchedStep seen =
      watched_step(3, {{.source = "ba ko ri"}, {.source = "ba ko", .target = "ri"}}, {.beam = 3});
  const ModelFolder folder = folder_of(3);
  const AttentionViewer viewer(folder, {.beam = 3});
  ASSERT_EQ(seen.sentences.size(), 2u);
  EXPECT_FALSE(seen.sentences[0].given);
  EXPECT_TRUE(seen.sentences[1].given);
  expect_same(seen.sentences[0].view, viewer.find("ba ko ri").front());
  expect_same(seen.sentences[1].view, viewer.look_at("ba ko", "ri"));
}

TEST(AttentionWatch, DescribesTheHeadsOverTheFirstValidationPairs) {
  const WatchedStep seen = watched_step(3, {{.source = "ba"}}, {.pairs = 2}, 2);
  EXPECT_EQ(seen.pairs, 2);
  const ModelFolder folder = folder_of(3);
  const std::vector<std::string> sources = {made_up_sentence(0), made_up_sentence(1)},
                                 targets = {made_up_sentence(9), made_up_sentence(10)};
  Workers workers(1);
  const std::vector<PageRow> expected = page_rows(
      describe_heads(*folder.model, {folder.source, folder.target, sources, targets}, workers));
  ASSERT_EQ(seen.heads.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(seen.heads[i].role, expected[i].role);
    EXPECT_EQ(seen.heads[i].figures, expected[i].figures);
  }
}

TEST(AttentionWatch, LeavesOutPairsThatAreTooLong) {
  const auto tokens = [](uint64_t i) {
    return static_cast<int64_t>(
        std::max(small_vocabulary().encode(made_up_sentence(i)).size(),
                 small_vocabulary().encode(made_up_sentence(i + 9)).size()));
  };
  const int64_t longest = std::max({tokens(0), tokens(1), tokens(2), tokens(3)});
  EXPECT_EQ(watched_step(3, {{.source = "ba"}}, {.max_length = longest + 1}).pairs, 4);
  EXPECT_LT(watched_step(3, {{.source = "ba"}}, {.max_length = longest}).pairs, 4);
}

TEST(AttentionWatch, RefusesASentenceThatTheModelCannotTake) {
  const std::string line = "ba ko ri ba ko ri";
  EXPECT_EQ(
      error_of([&] {
        watched_step(3, {{.source = "ba"}, {.source = line, .where = "a.tsv: line 2"}},
                     {.max_length = 4});
      }),
      "a.tsv: line 2: the sentence to watch has 7 tokens with its end, but the model takes at "
      "most 4");
  EXPECT_EQ(error_of([&] {
              watched_step(3, {{.source = "ba", .target = line, .where = "--watch"}},
                           {.max_length = 4});
            }),
            "--watch: the translation has 7 tokens with its end, but the model takes at most 4");
}

}  // namespace
}  // namespace heed
