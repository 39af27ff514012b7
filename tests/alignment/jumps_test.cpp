#include "heed/alignment/jumps.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed {
namespace {

// Some probabilities without a pattern.
Posteriors uneven_words(size_t sources, size_t targets) {
  Posteriors words;
  words.resize(sources, targets);
  unsigned state = 17;
  const auto next = [&] {
    return static_cast<double>((state = state * 48271 % 65537) % 97 + 1) / 98;
  };
  for (size_t j = 0; j < targets; ++j) {
    words.none(j) = next();
    for (size_t i = 0; i < sources; ++i) words.at(j, i) = next();
  }
  return words;
}

// The definition: the sum over all ways to place all target words. A place is a source word and
// whether the target word comes from it, or from none and stays.
class EveryWay {
 public:
  EveryWay(const Jumps& jumps, const Posteriors& words) : jumps_(jumps), words_(words) {
    sums_.resize(words.sources(), words.targets());
    go(0, -1, 1);
  }

  void expect_equal(const Posteriors& found) const {
    for (size_t j = 0; j < words_.targets(); ++j) {
      EXPECT_NEAR(found.none(j), sums_.none(j) / total_, 1e-12) << j;
      for (size_t i = 0; i < words_.sources(); ++i)
        EXPECT_NEAR(found.at(j, i), sums_.at(j, i) / total_, 1e-12) << j << ' ' << i;
    }
  }

 private:
  double jump(int64_t from, int64_t to) const {
    double sum = 0;
    for (int64_t b = 0; b < sources(); ++b) sum += jumps_.weight(b - from);
    return jumps_.weight(to - from) / sum;
  }
  int64_t sources() const { return static_cast<int64_t>(words_.sources()); }

  void go(size_t j, int64_t place, double probability) {
    if (j == words_.targets()) {
      total_ += probability;
      for (size_t k = 0; k < j; ++k)
        (way_[k] < 0 ? sums_.none(k) : sums_.at(k, static_cast<size_t>(way_[k]))) += probability;
      return;
    }
    way_.resize(j + 1);
    for (int64_t b = 0; b < sources(); ++b) {
      way_[j] = b;
      go(j + 1, b, probability * 0.92 * jump(place, b) * words_.at(j, static_cast<size_t>(b)));
      way_.resize(j + 1);
      // At the start, a word from none may be anywhere.
      if (j > 0 && b != place) continue;
      way_[j] = -1;
      const double here = j > 0 ? 1.0 : 1.0 / static_cast<double>(sources());
      go(j + 1, b, probability * 0.08 * here * words_.none(j));
      way_.resize(j + 1);
    }
  }

  const Jumps& jumps_;
  const Posteriors& words_;
  Posteriors sums_;
  std::vector<int64_t> way_;
  double total_ = 0;
};

TEST(Jumps, GiveThePosteriorsOfAllWays) {
  for (const auto& [sources, targets] :
       std::vector<std::pair<size_t, size_t>>{{1, 1}, {2, 3}, {3, 4}, {12, 2}}) {
    Jumps jumps;
    const Posteriors words = uneven_words(sources, targets);
    Posteriors found = words;
    jumps.apply(found, true);
    EveryWay(jumps, words).expect_equal(found);
    // And with weights that were learnt.
    jumps.maximise();
    found = words;
    jumps.apply(found, false);
    EveryWay(jumps, words).expect_equal(found);
  }
}

TEST(Jumps, LearnHowFarOnePlaceIsFromTheNext) {
  Jumps jumps;
  // Every target word surely comes from the second source word after the last one.
  Posteriors words;
  words.resize(9, 4);
  for (size_t j = 0; j < 4; ++j) words.at(j, 1 + 2 * j) = 1;
  jumps.apply(words, true);
  jumps.maximise();
  // 4 jumps of 2 and the pseudo-count of 0.1.
  EXPECT_NEAR(jumps.weight(2) / jumps.weight(1), 4.1 / 0.1, 1e-6);
  EXPECT_NEAR(jumps.weight(-3) / jumps.weight(1), 1, 1e-6);
}

TEST(Jumps, CountFarJumpsAsOne) {
  Jumps jumps;
  Posteriors words;
  words.resize(40, 3);
  words.at(0, 0) = words.at(1, 30) = words.at(2, 2) = 1;
  jumps.apply(words, true);
  jumps.maximise();
  EXPECT_NEAR(jumps.weight(30) / jumps.weight(3), 1.1 / 6 / 0.1, 1e-6);
  EXPECT_EQ(jumps.weight(30), jumps.weight(8));
  EXPECT_NEAR(jumps.weight(-28) / jumps.weight(3), 1.1 / 6 / 0.1, 1e-6);
}

TEST(Jumps, OfNoWordsAreNone) {
  Jumps jumps;
  Posteriors words;
  words.resize(0, 3);
  jumps.apply(words, true);
  words.resize(3, 0);
  jumps.apply(words, true);
  EXPECT_EQ(words.targets(), 0u);
}

}  // namespace
}  // namespace heed
