#include "heed/attention/head_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "heed/base/error.h"

namespace heed {

namespace {

using kernels::MatrixView;

// One row of weights, of which the first `seen` keys may be attended to.
struct Row {
  std::span<const float> weights;  // of the keys that are seen
  int64_t position;                // of the row's token
  int64_t shift;                   // key k stands at position k + shift
  int64_t keys;                    // also those that are not seen

  size_t largest() const {
    return static_cast<size_t>(std::ranges::max_element(weights) - weights.begin());
  }
  // Whether a key is the one at a distance from the row's position.
  bool is_at(size_t key, int64_t distance) const {
    return static_cast<int64_t>(key) + shift == position + distance;
  }
};

// The occurrences of the rarest token that the row sees; nothing if all are equally rare.
std::optional<int64_t> rarest(const Row& row, std::span<const int64_t> occurrences) {
  int64_t fewest = std::numeric_limits<int64_t>::max(), most = 0;
  for (size_t key = 0; key < row.weights.size() && !occurrences.empty(); ++key) {
    if (occurrences[key] == 0) continue;
    fewest = std::min(fewest, occurrences[key]);
    most = std::max(most, occurrences[key]);
  }
  return fewest < most ? std::optional(fewest) : std::nullopt;
}

bool is_place(KeyPlace place, const Row& row, size_t key, const HeadTokens& tokens,
              const std::optional<int64_t>& fewest) {
  switch (place) {
    case KeyPlace::previous:
      return row.is_at(key, -1);
    case KeyPlace::next:
      return row.is_at(key, 1);
    case KeyPlace::same:
      return row.is_at(key, 0);
    case KeyPlace::first:
      return key == 0;
    case KeyPlace::end:
      return tokens.ends && tokens.part != AttentionPart::decoder &&
             static_cast<int64_t>(key) == row.keys - 1;
    case KeyPlace::rare:
      return fewest && tokens.occurrences[key] == *fewest;
  }
  __builtin_unreachable();
}

void add_places(const Row& row, const HeadTokens& tokens, HeadSums& sums) {
  const std::optional<int64_t> fewest = rarest(row, tokens.occurrences);
  for (const KeyPlace place : all_key_places) {
    HeadSums::Place& sum = sums.places[static_cast<size_t>(place)];
    bool there = false;
    for (size_t key = 0; key < row.weights.size(); ++key)
      if (is_place(place, row, key, tokens, fewest)) {
        there = true;
        sum.weight += static_cast<double>(row.weights[key]);
        if (key == row.largest()) ++sum.largest;
      }
    if (there) ++sum.rows;
  }
}

void add_row(const Row& row, const HeadTokens& tokens, HeadSums& sums) {
  ++sums.rows;
  sums.confidence += static_cast<double>(row.weights[row.largest()]);
  for (size_t key = 0; key < row.weights.size(); ++key) {
    const auto weight = static_cast<double>(row.weights[key]);
    if (weight > 0) sums.entropy -= weight * std::log(weight);
    sums.distance += weight * static_cast<double>(
                                  std::abs(static_cast<int64_t>(key) + row.shift - row.position));
  }
  add_places(row, tokens, sums);
}

}  // namespace

HeadSums& HeadSums::operator+=(const HeadSums& other) {
  rows += other.rows;
  entropy += other.entropy;
  confidence += other.confidence;
  distance += other.distance;
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].rows += other.places[i].rows;
    places[i].weight += other.places[i].weight;
    places[i].largest += other.places[i].largest;
  }
  sentences += other.sentences;
  coverage += other.coverage;
  return *this;
}

HeadSums sum_head(MatrixView<const float> weights, const HeadTokens& tokens) {
  const int64_t keys = weights.columns;
  const bool causal = tokens.part == AttentionPart::decoder;
  require(tokens.occurrences.empty() || static_cast<int64_t>(tokens.occurrences.size()) == keys,
          "head statistics: occurrences of {} tokens for {} keys", tokens.occurrences.size(), keys);
  HeadSums sums;
  if (weights.rows == 0 || keys == 0) return sums;
  std::set<size_t> chosen;
  for (int64_t t = 0; t < weights.rows; ++t) {
    const int64_t seen = causal ? std::min(t + 1, keys) : keys;
    const Row row{{weights.row(t), static_cast<size_t>(seen)}, t, causal ? -1 : 0, keys};
    add_row(row, tokens, sums);
    chosen.insert(row.largest());
  }
  sums.sentences = 1;
  sums.coverage =
      static_cast<double>(chosen.size()) / static_cast<double>(std::min(weights.rows, keys));
  return sums;
}

HeadFigures figures_of(const HeadSums& sums) {
  HeadFigures figures;
  if (sums.rows == 0) return figures;
  const auto rows = static_cast<double>(sums.rows);
  figures.entropy = sums.entropy / rows;
  figures.confidence = sums.confidence / rows;
  figures.distance = sums.distance / rows;
  figures.coverage = sums.coverage / static_cast<double>(sums.sentences);
  for (size_t i = 0; i < sums.places.size(); ++i) {
    const HeadSums::Place& place = sums.places[i];
    if (place.rows > 0)
      figures.shares[i] = {place.weight / static_cast<double>(place.rows),
                           static_cast<double>(place.largest) / static_cast<double>(place.rows)};
  }
  return figures;
}

}  // namespace heed
