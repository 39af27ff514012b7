#include "heed/alignment/lexical_table.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "heed/alignment/digamma.h"
#include "heed/alignment/word_form.h"

namespace heed {

namespace {

// Measured by the error rate of alignments (recipes/align).
constexpr double base_pseudo_count = 0.1;
constexpr double likeness_pseudo_count = 0.3;

constexpr int32_t empty_place = -1;
constexpr size_t rows_per_task = 64;

size_t row_of(int32_t source) { return static_cast<size_t>(source) + 1; }

// For each source word, the pairs that it occurs in, laid end to end.
struct Occurrences {
  std::vector<size_t> begin;
  std::vector<uint32_t> pairs;

  Occurrences(size_t words, size_t pair_count, const LexicalTable::Side& sources)
      : begin(words + 1, 0) {
    for (size_t pair = 0; pair < pair_count; ++pair)
      for (const int32_t word : sources(pair)) ++begin[static_cast<size_t>(word) + 1];
    for (size_t word = 0; word < words; ++word) begin[word + 1] += begin[word];
    pairs.resize(begin.back());
    std::vector<size_t> next(begin.begin(), begin.end() - 1);
    for (size_t pair = 0; pair < pair_count; ++pair)
      for (const int32_t word : sources(pair))
        pairs[next[static_cast<size_t>(word)]++] = static_cast<uint32_t>(pair);
  }
};

size_t task_count(size_t rows) { return (rows + rows_per_task - 1) / rows_per_task; }

template <typename Use>
void for_each_row(size_t rows, Workers& workers, Use use) {
  workers.run(static_cast<int64_t>(task_count(rows)), [&](int64_t task, int worker) {
    const size_t begin = static_cast<size_t>(task) * rows_per_task;
    for (size_t row = begin; row < std::min(rows, begin + rows_per_task); ++row) use(row, worker);
  });
}

}  // namespace

LexicalTable::LexicalTable(size_t pairs, const Side& sources, const Side& targets,
                           const NumberedWords& source_words, const NumberedWords& target_words,
                           Workers& workers)
    : source_words_(&source_words),
      target_words_(&target_words),
      rows_(static_cast<size_t>(source_words.size()) + 1) {
  const Occurrences occurrences(rows() - 1, pairs, sources);
  const auto target_count = static_cast<size_t>(target_words.size());
  std::vector<std::vector<int32_t>> together(rows());
  for (size_t target = 0; target < target_count; ++target)
    together[0].push_back(static_cast<int32_t>(target));
  // The row for which a worker has seen a target word last.
  std::vector<std::vector<size_t>> seen(static_cast<size_t>(workers.count()));
  for_each_row(rows() - 1, workers, [&](size_t word, int worker) {
    std::vector<size_t>& last = seen[static_cast<size_t>(worker)];
    last.resize(target_count, SIZE_MAX);
    for (size_t i = occurrences.begin[word]; i < occurrences.begin[word + 1]; ++i)
      for (const int32_t target : targets(occurrences.pairs[i]))
        if (std::exchange(last[static_cast<size_t>(target)], word) != word)
          together[word + 1].push_back(target);
  });
  size_t places = 0;
  for (size_t row = 0; row < rows(); ++row) {
    const size_t count = std::bit_ceil(together[row].size() * 4 / 3 + 1);
    rows_[row] = {.begin = places, .places = count};
    places += count;
  }
  targets_.assign(places, empty_place);
  pseudo_counts_.resize(places);
  probabilities_.resize(places);
  counts_ = std::vector<ExactSum>(places);
  for_each_row(rows(), workers, [&](size_t row, int) { fill(row, together[row]); });
}

void LexicalTable::fill(size_t row, std::span<const int32_t> targets) {
  double total = 0;
  for (const int32_t target : targets) {
    const size_t place = place_in(rows_[row], target);
    targets_[place] = target;
    pseudo_counts_[place] = static_cast<float>(pseudo_count(static_cast<int32_t>(row) - 1, target));
    total += pseudo_counts_[place];
  }
  for (size_t place = rows_[row].begin; place < rows_[row].begin + rows_[row].places; ++place)
    probabilities_[place] = static_cast<float>(pseudo_counts_[place] / total);
}

double LexicalTable::pseudo_count(int32_t source, int32_t target) const {
  if (source == no_word) return base_pseudo_count;
  const double alike = likeness(source_words_->form(source), target_words_->form(target));
  return base_pseudo_count + likeness_pseudo_count * alike * alike;
}

size_t LexicalTable::place_in(const Row& row, int32_t target) const {
  // Fibonacci hashing: words that are often together have neighbouring numbers.
  const auto hash =
      static_cast<size_t>((static_cast<uint64_t>(target) * 0x9E3779B97F4A7C15u) >> 32);
  for (size_t step = hash;; ++step) {
    const size_t place = row.begin + (step & (row.places - 1));
    if (targets_[place] == target || targets_[place] == empty_place) return place;
  }
}

double LexicalTable::probability(int32_t source, int32_t target) const {
  const size_t row = row_of(source);
  if (row < rows()) {
    const size_t place = place_in(rows_[row], target);
    if (targets_[place] == target) return probabilities_[place];
  }
  const double scale = row < rows() ? rows_[row].scale : 1;
  return std::exp(digamma(pseudo_count(source, target))) / scale;
}

void LexicalTable::add(int32_t source, int32_t target, double count) {
  const size_t place = place_in(rows_[row_of(source)], target);
  assert(targets_[place] == target);
  counts_[place].add(count);
}

void LexicalTable::maximise(Workers& workers) {
  for_each_row(rows(), workers, [&](size_t number, int) {
    Row& row = rows_[number];
    double total = 0;
    for (size_t place = row.begin; place < row.begin + row.places; ++place)
      total += counts_[place].value() + pseudo_counts_[place];
    if (total == 0) return;  // a word that was numbered, but is in none of the pairs
    row.scale = std::exp(digamma(total));
    for (size_t place = row.begin; place < row.begin + row.places; ++place) {
      if (targets_[place] == empty_place) continue;
      const double count = counts_[place].take() + pseudo_counts_[place];
      probabilities_[place] = static_cast<float>(std::exp(digamma(count)) / row.scale);
    }
  });
}

}  // namespace heed
