#include "heed/alignment/diagonal.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr double least_tension = 0.1, largest_tension = 40;

}  // namespace

void Diagonal::apply(Posteriors& words, bool counting) {
  const auto sources = static_cast<double>(words.sources());
  const auto targets = static_cast<double>(words.targets());
  std::vector<double> distances(words.sources()), weights(words.sources());
  double found = 0, expected = 0, variance = 0;
  for (size_t j = 0; j < words.targets(); ++j) {
    double sum = 0, mean = 0, square = 0;
    for (size_t i = 0; i < words.sources(); ++i) {
      const double distance =
          std::abs((static_cast<double>(i) + 1) / sources - (static_cast<double>(j) + 1) / targets);
      const double weight = std::exp(-tension_ * distance);
      distances[i] = distance;
      weights[i] = weight;
      sum += weight;
      mean += weight * distance;
      square += weight * distance * distance;
    }
    words.none(j) *= probability_of_none;
    double total = words.none(j);
    for (size_t i = 0; i < words.sources(); ++i)
      total += words.at(j, i) *= (1 - probability_of_none) * weights[i] / sum;
    words.none(j) /= total;
    for (size_t i = 0; i < words.sources(); ++i) found += distances[i] * (words.at(j, i) /= total);
    const double linked = 1 - words.none(j);
    mean /= sum;
    expected += linked * mean;
    variance += linked * (square / sum - mean * mean);
  }
  if (!counting) return;
  distance_.add(found);
  expected_distance_.add(expected);
  variance_.add(variance);
}

void Diagonal::maximise() {
  const double excess = expected_distance_.take() - distance_.take(), variance = variance_.take();
  // A prior that is far too flat would send the first steps too far.
  if (variance > 0) tension_ = std::clamp(tension_ + excess / variance, tension_ / 2, tension_ * 2);
  tension_ = std::clamp(tension_, least_tension, largest_tension);
}

}  // namespace heed
