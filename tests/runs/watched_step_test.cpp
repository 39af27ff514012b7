#include "heed/runs/watched_step.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "small_model.h"
#include "temporary_folder.h"
#include "watched_model.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::fast_folder;
using heed::testing::TemporaryFolder;
using heed::testing::watched_step;

std::string file_of(const TemporaryFolder& model, int step) {
  return model.path("training/attention/step-" + std::to_string(step) + ".safetensors");
}

TEST(WatchedStep, ReadsBackWhatWasSaved) {
  const TemporaryFolder model(fast_folder());
  const WatchedStep saved = watched_step(700, {{.source = "ba ko", .target = "ri"}});
  save_watched_step(model.path(""), saved);
  const WatchedStep read = load_watched_step(model.path(""), 700);
  EXPECT_EQ(read.step, 700);
  EXPECT_EQ(read.pairs, saved.pairs);
  EXPECT_EQ(read.head_counts(), (HeadCounts{1, 1, 1, 2}));
  ASSERT_EQ(read.heads.size(), saved.heads.size());
  for (size_t i = 0; i < read.heads.size(); ++i) {
    EXPECT_EQ(read.heads[i].head.part, saved.heads[i].head.part);
    EXPECT_EQ(read.heads[i].head.head, saved.heads[i].head.head);
    EXPECT_EQ(read.heads[i].role, saved.heads[i].role);
    EXPECT_EQ(read.heads[i].figures, saved.heads[i].figures);
  }
  ASSERT_EQ(read.sentences.size(), 1u);
  const AttentionView &found = read.sentences[0].view, &expected = saved.sentences[0].view;
  EXPECT_TRUE(read.sentences[0].given);
  EXPECT_EQ(found.log_probability, expected.log_probability);
  EXPECT_EQ(found.source.pieces, expected.source.pieces);
  EXPECT_EQ(found.target.text, "ri");
  EXPECT_EQ(found.target.words, expected.target.words);
  EXPECT_EQ(found.read.pieces, expected.read.pieces);
  for (const AttentionPart part : all_attention_parts) {
    const Tensor &as_half = found.recording.part(part).weights,
                 &weights = expected.recording.part(part).weights;
    ASSERT_EQ(as_half.shape(), weights.shape());
    // Half precision has 11 significant bits.
    for (size_t i = 0; i < as_half.span<float>().size(); ++i)
      EXPECT_NEAR(as_half.span<float>()[i], weights.span<float>()[i], 0x1p-12);
  }
}

TEST(WatchedStep, TakesTwoBytesPerWeightAndLittleMore) {
  const TemporaryFolder model(fast_folder());
  const WatchedStep step = watched_step(5, {{.source = std::string(60, 'a'), .target = "ba"}});
  save_watched_step(model.path(""), step);
  int64_t weights = 0;
  for (const AttentionPart part : all_attention_parts)
    weights += step.sentences[0].view.recording.part(part).weights.elements();
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(file_of(model, 5)));
  EXPECT_GT(weights, 2000);
  EXPECT_LT(bytes, 2 * weights + 8000);
}

TEST(WatchedStep, IsTheSameFileForTheSameStep) {
  const TemporaryFolder model(fast_folder());
  const auto bytes = [&] {
    save_watched_step(model.path(""), watched_step(5, {{.source = "ba"}}));
    return model.text("training/attention/step-5.safetensors");
  };
  EXPECT_TRUE(bytes() == bytes());
}

TEST(WatchedSteps, AreListedInTheOrderOfTraining) {
  const TemporaryFolder model(fast_folder());
  EXPECT_TRUE(watched_steps(model.path("")).empty());
  for (const int64_t step : {1000, 20, 300})
    save_watched_step(model.path(""), watched_step(step, {{.source = "ba"}}));
  model.put("training/attention/notes.txt", "mine");
  model.put("training/attention/step-.safetensors", "");
  model.put("training/attention/.heed-1-0.partial", "");
  EXPECT_EQ(watched_steps(model.path("")), (std::vector<int64_t>{20, 300, 1000}));
  forget_watched_steps(model.path(""), 300);
  EXPECT_EQ(watched_steps(model.path("")), (std::vector<int64_t>{20, 300}));
  EXPECT_FALSE(std::filesystem::exists(model.path("training/attention/.heed-1-0.partial")));
  EXPECT_TRUE(std::filesystem::exists(model.path("training/attention/notes.txt")));
}

TEST(WatchedStep, NoDamageGoesUnnoticed) {
  const TemporaryFolder model(fast_folder());
  save_watched_step(model.path(""), watched_step(5, {{.source = "ba ko", .target = "ri"}}));
  const std::string whole = model.text("training/attention/step-5.safetensors");
  for (size_t at = 0; at < whole.size(); at += at < 20 ? 1 : 67) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    model.put("training/attention/step-5.safetensors", damaged);
    const std::string error = error_of([&] { load_watched_step(model.path(""), 5); });
    EXPECT_TRUE(error.starts_with(file_of(model, 5))) << at << ": " << error;
  }
}

}  // namespace
}  // namespace heed
