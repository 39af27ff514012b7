#include "heed/runs/attention_over_time.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "error_of.h"
#include "heed/runs/attention_text.h"
#include "watched_model.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using heed::testing::watched_step;
using nlohmann::json;

const WatchedSentence given = {.source = "ba ko", .target = "ri ba"}, own = {.source = "ko ri ba"};

class AttentionOverTime : public ::testing::Test {
 protected:
  void put(int64_t step, const std::vector<WatchedSentence>& sentences) const {
    save_watched_step(folder(), watched_step(step, sentences));
  }
  void put_roles(int64_t step, const std::string& role) const {
    WatchedStep seen = watched_step(step, {given});
    for (PageRow& row : seen.heads) row.role = row.head.part == "cross" ? role : "mixed";
    save_watched_step(folder(), seen);
  }
  std::string folder() const { return files.path("model"); }

  TemporaryFolder files{heed::testing::fast_folder()};
};

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++found;
  return found;
}

TEST_F(AttentionOverTime, NeedsSomethingThatWasWatched) {
  EXPECT_EQ(error_of([&] { AttentionHistory{folder()}; }), folder() + ": there is no such folder");
  std::filesystem::create_directories(folder());
  EXPECT_EQ(error_of([&] { AttentionHistory{folder()}; }),
            folder() +
                ": no sentence was watched in training; heed train --watch keeps the attention of "
                "one");
  put(5, {given, own});
  EXPECT_EQ(error_of([&] { AttentionHistory(folder(), "ba"); }),
            folder() + ": \"ba\" was not watched in training, but \"ba ko\", \"ko ri ba\"");
}

TEST_F(AttentionOverTime, ASourceChoosesItsSentenceAndItsSteps) {
  put(5, {given});
  put(10, {given, own});
  const AttentionHistory history(folder(), own.source);
  EXPECT_EQ(history.steps(), (std::vector<int64_t>{10}));
  ASSERT_EQ(history.last().sentences.size(), 1u);
  EXPECT_EQ(history.last().sentences[0].view.source.text, own.source);
}

TEST_F(AttentionOverTime, ThePageHasEveryStepWithItsHeads) {
  put(5, {given, own});
  put(10, {given, own});
  const AttentionPage page = over_time_page(AttentionHistory(folder()), "en-de", {});
  EXPECT_EQ(page.title, "en-de");
  EXPECT_EQ(page.first->part, "cross");
  ASSERT_EQ(page.steps.size(), 2u);
  for (const PageStep& step : page.steps) {
    const WatchedStep seen = load_watched_step(folder(), step.step);
    EXPECT_EQ(step.over, "the first 4 pairs of the validation set");
    ASSERT_EQ(step.rows.size(), seen.heads.size());
    for (size_t i = 0; i < step.rows.size(); ++i) {
      EXPECT_EQ(step.rows[i].role, seen.heads[i].role);
      EXPECT_NEAR(step.rows[i].figures[0].second, seen.heads[i].figures[0].second, 1e-4);
    }
    ASSERT_EQ(step.sentences.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(step.sentences[i]->name, seen.sentences[i].view.source.text);
      EXPECT_EQ(step.sentences[i]->parts.back().weights.data,
                page_sentences({seen.sentences[i].view}, 0).front().parts.back().weights.data);
    }
  }
  EXPECT_NE(page.steps[0].sentences[0]->parts.back().weights.data,
            page.steps[1].sentences[0]->parts.back().weights.data);
  EXPECT_NE(draw_as_page(page).find("\"steps\":[{\"step\":5,"), std::string::npos);
}

TEST_F(AttentionOverTime, ASentenceIsMissingWhereItWasNotWatched) {
  const WatchedSentence dropped = {.source = "ri"}, other = {.source = "ba ko", .target = "ko"};
  put(5, {dropped, given});
  put(10, {given, other});
  const AttentionPage page = over_time_page(AttentionHistory(folder()), "", {});
  const auto& [first, last] = std::pair(page.steps[0].sentences, page.steps[1].sentences);
  ASSERT_EQ(first.size(), 3u);
  ASSERT_EQ(last.size(), 3u);
  EXPECT_TRUE(first[0] && last[0]);   // given
  EXPECT_TRUE(!first[1] && last[1]);  // the same source with another target
  EXPECT_TRUE(first[2] && !last[2]);
  EXPECT_EQ(first[2]->name, "ri");
}

TEST_F(AttentionOverTime, StepsAreSpreadFromTheFirstToTheLast) {
  std::vector<int64_t> steps(1000);
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<int64_t>(10 * (i + 1));
  const std::vector<int64_t> spread = spread_steps(steps, 100);
  ASSERT_EQ(spread.size(), 100u);
  EXPECT_EQ(spread.front(), 10);
  EXPECT_EQ(spread.back(), 10000);
  for (size_t i = 1; i < spread.size(); ++i) {
    EXPECT_GE(spread[i] - spread[i - 1], 90);
    EXPECT_LE(spread[i] - spread[i - 1], 110);
  }
  EXPECT_EQ(spread_steps({3, 5}, 2), (std::vector<int64_t>{3, 5}));
}

TEST_F(AttentionOverTime, ThePictureHasAMapForEachStep) {
  for (int64_t step = 1; step <= 20; ++step) put(step * 10, {given});
  const std::string svg =
      over_time_svg(AttentionHistory(folder()),
                    {.part = AttentionPart::encoder, .layer = 1, .head = 2}, TokenUnit::words);
  EXPECT_NE(svg.find("Encoder self-attention, layer 1, head 2"), std::string::npos);
  EXPECT_EQ(count(svg, ">Step "), most_steps_in_a_picture);
  EXPECT_NE(svg.find(">Step 10: "), std::string::npos);
  EXPECT_NE(svg.find(">Step 200: "), std::string::npos);
}

TEST_F(AttentionOverTime, JsonHasALinePerSentence) {
  put(5, {given, own});
  const WatchedStep seen = AttentionHistory(folder()).last();
  std::istringstream lines(over_time_json(seen));
  std::vector<json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  ASSERT_EQ(objects.size(), 2u);
  for (size_t i = 0; i < objects.size(); ++i) {
    const json& object = objects[i];
    EXPECT_EQ(object["step"], 5);
    EXPECT_EQ(object["source"]["text"], seen.sentences[i].view.source.text);
    EXPECT_EQ(object["heads"].size(), 6u);
    const Tensor& weights = seen.sentences[i].view.recording.part(AttentionPart::cross).weights;
    EXPECT_EQ(object["attention"]["cross"][0][0][0][0].get<float>(), weights.span<float>()[0]);
  }
  EXPECT_EQ(objects[0]["target"]["text"], "ri ba");
}

TEST_F(AttentionOverTime, TellsSinceWhenAHeadHasItsRole) {
  put_roles(5, "mixed");
  put_roles(10, "end of sentence");
  put_roles(15, "aligns");
  put_roles(20, "aligns");
  const std::string text = over_time_text(AttentionHistory(folder()));
  EXPECT_NE(
      text.find("cross:1:2     aligns                    15  mixed (5), end of sentence (10)\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("encoder:1:1   mixed                      5\n"), std::string::npos) << text;
  EXPECT_TRUE(
      text.ends_with("4 steps, from 5 to 20; over the first 4 pairs of the validation set.\n"))
      << text;
}

}  // namespace
}  // namespace heed
