#include "heed/alignment/word_aligner.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr size_t pairs_per_task = 128;

// The geometric mean of the two directions' probabilities of a link that both believe in.
constexpr double agreed = 0.3;

// Each model counts a link as much as both models believe in it.
void agree(Posteriors& forward, Posteriors& reverse) {
  const size_t sources = forward.sources(), targets = forward.targets();
  for (size_t j = 0; j < targets; ++j) forward.none(j) = 1;
  for (size_t i = 0; i < sources; ++i) reverse.none(i) = 1;
  for (size_t j = 0; j < targets; ++j)
    for (size_t i = 0; i < sources; ++i) {
      const double both = forward.at(j, i) * reverse.at(i, j);
      forward.at(j, i) = reverse.at(i, j) = both;
      forward.none(j) -= both;
      reverse.none(i) -= both;
    }
  for (size_t j = 0; j < targets; ++j) forward.none(j) = std::max(0.0, forward.none(j));
  for (size_t i = 0; i < sources; ++i) reverse.none(i) = std::max(0.0, reverse.none(i));
}

// Calls use(target, source) for each target word with its most probable source word, if that is
// more probable than none.
template <typename Use>
void for_each_best(const Posteriors& found, Use use) {
  for (size_t j = 0; j < found.targets(); ++j) {
    double best = found.none(j);
    size_t source = found.sources();
    for (size_t i = 0; i < found.sources(); ++i)
      if (found.at(j, i) > best) {
        best = found.at(j, i);
        source = i;
      }
    if (source < found.sources()) use(static_cast<int64_t>(j), static_cast<int64_t>(source));
  }
}

LexicalTable table_of(std::span<const NumberedPair> pairs, bool reverse,
                      const NumberedWords& source_words, const NumberedWords& target_words,
                      Workers& workers) {
  const auto side = [pairs](bool target) -> LexicalTable::Side {
    return [pairs, target](size_t pair) -> Sentence {
      return target ? pairs[pair].target : pairs[pair].source;
    };
  };
  return LexicalTable(pairs.size(), side(reverse), side(!reverse),
                      reverse ? target_words : source_words, reverse ? source_words : target_words,
                      workers);
}

}  // namespace

void DirectedAligner::align(Sentence source, Sentence target, bool with_jumps, bool counting,
                            Posteriors& found) {
  found.resize(source.size(), target.size());
  for (size_t j = 0; j < target.size(); ++j) {
    found.none(j) = table_.probability(no_word, target[j]);
    for (size_t i = 0; i < source.size(); ++i)
      found.at(j, i) = table_.probability(source[i], target[j]);
  }
  if (with_jumps)
    jumps_.apply(found, counting);
  else
    diagonal_.apply(found, counting);
}

void DirectedAligner::add_counts(Sentence source, Sentence target, const Posteriors& found) {
  for (size_t j = 0; j < target.size(); ++j) {
    table_.add(no_word, target[j], found.none(j));
    for (size_t i = 0; i < source.size(); ++i) table_.add(source[i], target[j], found.at(j, i));
  }
}

void DirectedAligner::maximise(bool with_jumps, Workers& workers) {
  table_.maximise(workers);
  if (with_jumps)
    jumps_.maximise();
  else
    diagonal_.maximise();
}

WordAligner::WordAligner(std::span<const NumberedPair> pairs, const NumberedWords& source_words,
                         const NumberedWords& target_words, Workers& workers,
                         const AlignerOptions& options, const Progress& progress)
    : with_jumps_(options.jump_rounds > 0),
      forward_(table_of(pairs, false, source_words, target_words, workers)),
      reverse_(table_of(pairs, true, source_words, target_words, workers)) {
  const int rounds = options.diagonal_rounds + options.jump_rounds;
  const size_t tasks = (pairs.size() + pairs_per_task - 1) / pairs_per_task;
  for (int round = 0; round < rounds; ++round) {
    const bool with_jumps = round >= options.diagonal_rounds;
    workers.run(static_cast<int64_t>(tasks), [&](int64_t task, int) {
      const size_t begin = static_cast<size_t>(task) * pairs_per_task;
      for (size_t i = begin; i < std::min(pairs.size(), begin + pairs_per_task); ++i)
        learn_from(pairs[i], with_jumps);
    });
    forward_.maximise(with_jumps, workers);
    reverse_.maximise(with_jumps, workers);
    if (progress) progress(round + 1, rounds);
  }
}

void WordAligner::learn_from(const NumberedPair& pair, bool with_jumps) {
  if (pair.source.empty() || pair.target.empty()) return;
  thread_local Posteriors forward, reverse;
  forward_.align(pair.source, pair.target, with_jumps, true, forward);
  reverse_.align(pair.target, pair.source, with_jumps, true, reverse);
  // The diagonal alone knows too little to agree on anything: that would only fix its mistakes.
  if (with_jumps) agree(forward, reverse);
  forward_.add_counts(pair.source, pair.target, forward);
  reverse_.add_counts(pair.target, pair.source, reverse);
}

void WordAligner::align(const NumberedPair& pair, Posteriors& forward, Posteriors& reverse) {
  forward_.align(pair.source, pair.target, with_jumps_, false, forward);
  reverse_.align(pair.target, pair.source, with_jumps_, false, reverse);
}

std::vector<WordLink> WordAligner::links(const NumberedPair& pair, Symmetrisation method) {
  if (pair.source.empty() || pair.target.empty()) return {};
  Posteriors forward, reverse;
  align(pair, forward, reverse);
  std::vector<WordLink> of_targets, of_sources;
  for_each_best(forward, [&](int64_t j, int64_t i) { of_targets.push_back({i, j}); });
  for_each_best(reverse, [&](int64_t i, int64_t j) { of_sources.push_back({i, j}); });
  return symmetrise(method, of_targets, of_sources, static_cast<int64_t>(pair.source.size()),
                    static_cast<int64_t>(pair.target.size()));
}

std::vector<WordLink> WordAligner::agreed_links(const NumberedPair& pair) {
  if (pair.source.empty() || pair.target.empty()) return {};
  Posteriors forward, reverse;
  align(pair, forward, reverse);
  std::vector<WordLink> links;
  for (size_t i = 0; i < pair.source.size(); ++i)
    for (size_t j = 0; j < pair.target.size(); ++j)
      if (std::sqrt(forward.at(j, i) * reverse.at(i, j)) >= agreed)
        links.push_back({static_cast<int64_t>(i), static_cast<int64_t>(j)});
  return links;
}

std::vector<ProbableLink> WordAligner::probable_links(const NumberedPair& pair, double at_least) {
  if (pair.source.empty() || pair.target.empty()) return {};
  Posteriors forward, reverse;
  align(pair, forward, reverse);
  std::vector<ProbableLink> links;
  for (size_t i = 0; i < pair.source.size(); ++i)
    for (size_t j = 0; j < pair.target.size(); ++j) {
      const double probability = std::max(forward.at(j, i), reverse.at(i, j));
      if (probability >= at_least)
        links.push_back({{static_cast<int64_t>(i), static_cast<int64_t>(j)}, probability});
    }
  return links;
}

}  // namespace heed
