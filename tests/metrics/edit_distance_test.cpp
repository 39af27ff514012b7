#include "heed/metrics/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/random.h"

namespace heed {
namespace {

int plain_distance(std::u32string_view a, std::u32string_view b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
  return std::min({plain_distance(a.substr(1), b) + 1, plain_distance(a, b.substr(1)) + 1,
                   plain_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1)});
}

std::u32string random_words(Rng& rng, size_t most) {
  std::u32string words(rng.below(most + 1), U'a');
  for (char32_t& word : words) word += static_cast<char32_t>(rng.below(3));
  return words;
}

TEST(EditDistance, IsTheFewestEdits) {
  Rng rng(3);
  for (int i = 0; i < 40; ++i) {
    const std::u32string reference = random_words(rng, 6);
    EditDistance distance(reference);
    for (int j = 0; j < 10; ++j) {  // each begins where it can with what the one before has left
      const std::u32string hypothesis = random_words(rng, 6);
      EXPECT_EQ(distance.edits(hypothesis), plain_distance(hypothesis, reference));
    }
  }
}

TEST(EditDistance, AlignsWhatIsKeptAndReplaced) {
  EditDistance distance(U"abcd");
  EXPECT_EQ(distance.edits(U"axcyd"), 2);
  const EditDistance::Alignment found = distance.alignment();
  EXPECT_EQ(found.of_reference, (std::vector<int64_t>{0, 1, 2, 4}));
  EXPECT_EQ(found.reference_is_wrong, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(found.hypothesis_is_wrong, (std::vector<bool>{false, true, false, true, false}));
}

TEST(EditDistance, MissingWordsAreAlignedToTheWordBefore) {
  EditDistance distance(U"xab");
  EXPECT_EQ(distance.edits(U"a"), 2);
  EXPECT_EQ(distance.alignment().of_reference, (std::vector<int64_t>{-1, 0, 0}));
  EXPECT_EQ(distance.edits(U""), 3);
  EXPECT_EQ(distance.alignment().of_reference, (std::vector<int64_t>{-1, -1, -1}));
}

// Words far from the diagonal are not looked at: 60 words moved to the end cost more than 120 edits
// would.
TEST(EditDistance, StaysInItsBand) {
  const std::u32string front(60, U'a'), back(60, U'b');
  EditDistance distance(back + front);
  EXPECT_EQ(distance.edits(front + back), 120);
  std::u32string rotated(30, U'c');
  rotated += std::u32string(100, U'a');
  EditDistance far(std::u32string(100, U'a') + std::u32string(30, U'c'));
  EXPECT_EQ(far.edits(rotated), 60);  // 30 c at either end; the a of the middle are within the band
}

// A reference of very many words per word of the hypothesis still has a way through.
TEST(EditDistance, VeryDifferentLengths) {
  EditDistance distance(std::u32string(500, U'a'));
  EXPECT_EQ(distance.edits(U"a"), 499);
  EXPECT_EQ(distance.edits(U"aba"), 498);
  EditDistance few(U"a");
  EXPECT_EQ(few.edits(std::u32string(500, U'a')), 499);
}

// Every cell of the table would take 80 GB.
TEST(EditDistance, MemoryGrowsWithTheSumOfTheLengths) {
  constexpr size_t words = 100000;
  std::u32string reference(words, U'a');
  for (size_t i = 0; i < words; ++i) reference[i] += static_cast<char32_t>(i % 1000);
  std::u32string hypothesis = reference;
  hypothesis[words / 2] = U'!';
  hypothesis.erase(words / 4, 1);
  EditDistance distance(reference);
  EXPECT_EQ(distance.edits(hypothesis), 2);
  EXPECT_EQ(distance.alignment().of_reference.back(), static_cast<int64_t>(words) - 2);
}

}  // namespace
}  // namespace heed
