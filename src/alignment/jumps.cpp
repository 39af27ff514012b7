#include "heed/alignment/jumps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace heed {

namespace {

constexpr double first_decay = 0.5;   // of the weights before anything was learnt
constexpr double pseudo_count = 0.1;  // of each jump
constexpr double far_places = 6;      // that share the weight of a far jump

constexpr double going_on = 1 - probability_of_none;

// For each number of words, the sum of so many first elements.
std::vector<double> sums_of_first(std::span<const double> numbers) {
  std::vector<double> sums(numbers.size() + 1, 0.0);
  std::partial_sum(numbers.begin(), numbers.end(), sums.begin() + 1);
  return sums;
}

// (rows, columns), one row at a time.
class Rows {
 public:
  Rows(size_t rows, size_t columns) : columns_(columns), values_(rows * columns) {}
  std::span<double> operator[](size_t row) {
    return std::span(values_).subspan(row * columns_, columns_);
  }

 private:
  size_t columns_;
  std::vector<double> values_;
};

}  // namespace

Jumps::Jumps() {
  for (int64_t words = -far; words <= far; ++words)
    weights_[static_cast<size_t>(words + far)] =
        std::exp(-first_decay * static_cast<double>(std::abs(words - 1)));
}

double Jumps::weight(int64_t words) const {
  return weights_[static_cast<size_t>(std::clamp(words, -far, far) + far)];
}

void Jumps::spread(std::span<const double> in, std::span<double> out, bool backward) const {
  const auto size = static_cast<int64_t>(in.size());
  const std::vector<double> first = sums_of_first(in);
  const auto jump = [&](int64_t words) { return weight(backward ? -words : words); };
  for (int64_t b = 0; b < size; ++b) {
    const int64_t begin = std::max<int64_t>(0, b - far + 1), end = std::min(size, b + far);
    double sum = jump(far) * first[static_cast<size_t>(begin)] +
                 jump(-far) * (first.back() - first[static_cast<size_t>(end)]);
    for (int64_t a = begin; a < end; ++a) sum += in[static_cast<size_t>(a)] * jump(b - a);
    out[static_cast<size_t>(b)] = sum;
  }
}

// `from` and `to`: the probability of a jump without its weight is the product of the two.
void Jumps::count(std::span<const double> from, std::span<const double> to) {
  const auto size = static_cast<int64_t>(from.size());
  const std::vector<double> first = sums_of_first(from);
  std::array<double, 2 * far + 1> found = {};
  for (int64_t b = 0; b < size; ++b) {
    const int64_t begin = std::max<int64_t>(0, b - far + 1), end = std::min(size, b + far);
    const double there = to[static_cast<size_t>(b)];
    found.back() += there * first[static_cast<size_t>(begin)];
    found.front() += there * (first.back() - first[static_cast<size_t>(end)]);
    for (int64_t a = begin; a < end; ++a)
      found[static_cast<size_t>(b - a + far)] += there * from[static_cast<size_t>(a)];
  }
  for (size_t i = 0; i < found.size(); ++i) counts_[i].add(found[i] * weights_[i]);
}

void Jumps::apply(Posteriors& words, bool counting) {
  const size_t sources = words.sources(), targets = words.targets();
  if (sources == 0 || targets == 0) return;
  // What the weights of the jumps from a word sum to, and of those from before the first word.
  std::vector<double> sums(sources), here(sources), ones(sources, 1.0);
  spread(ones, sums, true);
  double sum_of_starts = 0;
  for (size_t b = 0; b < sources; ++b) sum_of_starts += weight(static_cast<int64_t>(b) + 1);

  // The forward pass. Each row sums to 1 with the row of words from nowhere, whose place is that of
  // the word before them.
  Rows linked(targets, sources), unlinked(targets, sources);
  std::vector<double> scales(targets);
  for (size_t j = 0; j < targets; ++j) {
    if (j == 0) {
      for (size_t b = 0; b < sources; ++b) {
        linked[0][b] = weight(static_cast<int64_t>(b) + 1) / sum_of_starts;
        unlinked[0][b] = 1.0 / static_cast<double>(sources);
      }
    } else {
      for (size_t a = 0; a < sources; ++a) {
        unlinked[j][a] = linked[j - 1][a] + unlinked[j - 1][a];
        here[a] = unlinked[j][a] / sums[a];
      }
      spread(here, linked[j], false);
    }
    double scale = 0;
    for (size_t b = 0; b < sources; ++b) {
      scale += linked[j][b] *= going_on * words.at(j, b);
      scale += unlinked[j][b] *= probability_of_none * words.none(j);
    }
    scales[j] = scale;
    for (size_t b = 0; b < sources; ++b) {
      linked[j][b] /= scale;
      unlinked[j][b] /= scale;
    }
  }

  // The backward pass, from the last word on, and the posteriors. `after`: how probable the rest of
  // the words is, given the place.
  std::vector<double> after(sources, 1.0), to(sources);
  for (size_t j = targets; j-- > 0;) {
    const double none = words.none(j);
    words.none(j) = 0;
    for (size_t b = 0; b < sources; ++b) {
      to[b] = going_on * words.at(j, b) * after[b] / scales[j];
      words.at(j, b) = linked[j][b] * after[b];
      words.none(j) += unlinked[j][b] * after[b];
    }
    if (j == 0) {
      for (size_t b = 0; counting && b < sources; ++b) {
        const auto jump = std::min<int64_t>(static_cast<int64_t>(b) + 1, far);
        counts_[static_cast<size_t>(jump + far)].add(to[b] * weight(jump) / sum_of_starts);
      }
      break;
    }
    if (counting) {
      for (size_t a = 0; a < sources; ++a)
        here[a] = (linked[j - 1][a] + unlinked[j - 1][a]) / sums[a];
      count(here, to);
    }
    std::vector<double> before(sources);
    spread(to, before, true);
    for (size_t a = 0; a < sources; ++a)
      after[a] = before[a] / sums[a] + probability_of_none * none * after[a] / scales[j];
  }
}

void Jumps::maximise() {
  for (size_t i = 0; i < weights_.size(); ++i) weights_[i] = counts_[i].take() + pseudo_count;
  weights_.front() /= far_places;
  weights_.back() /= far_places;
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight /= sum;
}

}  // namespace heed
