#include "heed/data/sentence_sample.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

using Texts = std::vector<std::string>;

Texts sample_of(int sentences, int64_t most_bytes, uint64_t seed = 1) {
  SentenceSample sample(most_bytes, seed);
  for (int i = 0; i < sentences; ++i) sample.add(std::to_string(100'000 + i));
  return std::move(sample).take();
}

TEST(SentenceSample, TakesAllThatFits) {
  EXPECT_EQ(sample_of(3, 18), (Texts{"100000", "100001", "100002"}));
  EXPECT_EQ(sample_of(0, 18), Texts{});
}

TEST(SentenceSample, ManyAreAsLikelyAsAnyOther) {
  constexpr int sentences = 64000, most = 8000;
  const Texts taken = sample_of(sentences, 6 * most);
  EXPECT_LE(taken.size(), static_cast<size_t>(most));
  EXPECT_GE(taken.size(), static_cast<size_t>(most / 3));
  EXPECT_TRUE(std::ranges::is_sorted(taken));
  const auto in_first_half = std::ranges::count_if(
      taken, [](const std::string& text) { return std::stoi(text) < 100'000 + sentences / 2; });
  EXPECT_NEAR(static_cast<double>(in_first_half) / static_cast<double>(taken.size()), 0.5, 0.05);
}

TEST(SentenceSample, TheSeedChooses) {
  EXPECT_EQ(sample_of(1000, 600), sample_of(1000, 600));
  EXPECT_NE(sample_of(1000, 600, 1), sample_of(1000, 600, 2));
}

TEST(SentenceSample, ASentenceThatIsTooLargeIsNotTaken) { EXPECT_EQ(sample_of(100, 5), Texts{}); }

}  // namespace
}  // namespace heed
