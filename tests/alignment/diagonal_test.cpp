#include "heed/alignment/diagonal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

Posteriors equal_words(size_t sources, size_t targets) {
  Posteriors words;
  words.resize(sources, targets);
  for (size_t j = 0; j < targets; ++j) {
    words.none(j) = 1;
    for (size_t i = 0; i < sources; ++i) words.at(j, i) = 1;
  }
  return words;
}

TEST(Diagonal, PrefersWordsInTheSamePlace) {
  Diagonal diagonal;
  Posteriors words = equal_words(2, 2);
  diagonal.apply(words, false);
  // Distances of the first target word: 0 and 1/2; the tension is 4 at first.
  const double near = 1 / (1 + std::exp(-2.0)), far = std::exp(-2.0) / (1 + std::exp(-2.0));
  EXPECT_NEAR(words.none(0), 0.08, 1e-12);
  EXPECT_NEAR(words.at(0, 0), 0.92 * near, 1e-12);
  EXPECT_NEAR(words.at(0, 1), 0.92 * far, 1e-12);
  EXPECT_NEAR(words.at(1, 0), 0.92 * far, 1e-12);
  EXPECT_NEAR(words.at(1, 1), 0.92 * near, 1e-12);
}

TEST(Diagonal, WeighsTheProbabilitiesOfWords) {
  Diagonal diagonal;
  Posteriors words = equal_words(1, 1);
  words.none(0) = 0.5;
  words.at(0, 0) = 0.25;
  diagonal.apply(words, false);
  const double none = 0.08 * 0.5, one = 0.92 * 0.25;
  EXPECT_NEAR(words.none(0), none / (none + one), 1e-12);
  EXPECT_NEAR(words.at(0, 0), one / (none + one), 1e-12);
}

// The mean distance of the posteriors decides.
TEST(Diagonal, LearnsTheTension) {
  const auto learnt = [](double neighbours) {
    Diagonal diagonal;
    for (int round = 0; round < 20; ++round) {
      Posteriors words = equal_words(10, 10);
      for (size_t j = 0; j < 10; ++j)
        for (size_t i = 0; i < 10; ++i) {
          const double steps = std::abs(static_cast<double>(i) - static_cast<double>(j));
          // Cancels the prior, so that the posterior of steps is a power of `neighbours`.
          words.at(j, i) = std::pow(neighbours, steps) * std::exp(diagonal.tension() * steps / 10);
        }
      diagonal.apply(words, true);
      diagonal.maximise();
    }
    return diagonal.tension();
  };
  // exp(-tension / 10) is the probability of a step.
  EXPECT_NEAR(learnt(0.3), -10 * std::log(0.3), 0.01);
  EXPECT_NEAR(learnt(0.7), -10 * std::log(0.7), 0.01);
}

TEST(Diagonal, CountsOnlyIfAsked) {
  Diagonal diagonal;
  Posteriors words = equal_words(3, 3);
  words.at(0, 2) = 100;
  diagonal.apply(words, false);
  diagonal.maximise();
  EXPECT_EQ(diagonal.tension(), Diagonal().tension());
}

}  // namespace
}  // namespace heed
