#include "heed/metrics/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/metrics/ngrams.h"
#include "heed/metrics/version.h"

namespace heed {

namespace {

constexpr size_t orders = 4;

// Indices into the counts.
constexpr size_t hypothesis_length = 0, reference_length = 1, matches = 2,
                 totals = matches + orders;

std::vector<std::u32string> words_of(std::string_view text, const BleuOptions& options) {
  std::u32string characters = characters_of(text);
  if (options.lowercase) characters = lowercase(characters);
  while (!characters.empty() && is_space(characters.back())) characters.pop_back();
  return tokenise(options.tokeniser, characters);
}

// The count of each n-gram in the reference that has most of it.
NgramCounts highest_counts(const std::vector<std::u32string>& references, size_t n) {
  NgramCounts highest;
  for (const std::u32string& reference : references)
    for (const auto& [ngram, count] : count_ngrams(reference, n)) {
      int64_t& most = highest[ngram];
      most = std::max(most, count);
    }
  return highest;
}

// The length of the reference closest in length; of two, the shorter.
size_t closest_length(const std::vector<std::u32string>& references, size_t length) {
  const auto distance = [&](size_t other) {
    return other > length ? other - length : length - other;
  };
  size_t closest = references.front().size();
  for (const std::u32string& reference : references) {
    const size_t other = reference.size();
    if (distance(other) < distance(closest) ||
        (distance(other) == distance(closest) && other < closest))
      closest = other;
  }
  return closest;
}

double brevity_penalty(const Metric::Counts& counts) {
  const double hypothesis = counts[hypothesis_length], reference = counts[reference_length];
  if (hypothesis >= reference) return 1;
  return hypothesis > 0 ? std::exp(1 - reference / hypothesis) : 0;
}

// In percent. Each order without a match gets half the credit of the previous one without ("exp"
// smoothing, as in NIST's mteval). Orders that the corpus is too short for get none.
std::array<double, orders> precisions(const Metric::Counts& counts) {
  std::array<double, orders> found = {};
  const bool any_match = std::any_of(counts.begin() + matches, counts.begin() + totals,
                                     [](double match_count) { return match_count > 0; });
  if (!any_match) return found;
  double smoothing = 1;
  for (size_t n = 0; n < orders && counts[totals + n] > 0; ++n) {
    if (counts[matches + n] > 0) {
      found[n] = 100 * counts[matches + n] / counts[totals + n];
    } else {
      smoothing *= 2;
      found[n] = 100 / (smoothing * counts[totals + n]);
    }
  }
  return found;
}

}  // namespace

Metric::Counts Bleu::count(std::string_view hypothesis,
                           std::span<const std::string_view> references) const {
  require(!references.empty(), "BLEU: there is no reference");
  WordNumbers numbers;
  const std::u32string translation = numbers.number(words_of(hypothesis, options_));
  std::vector<std::u32string> expected;
  for (const std::string_view reference : references)
    expected.push_back(numbers.number(words_of(reference, options_)));

  Counts counts(totals + orders);
  counts[hypothesis_length] = static_cast<double>(translation.size());
  counts[reference_length] = static_cast<double>(closest_length(expected, translation.size()));
  for (size_t n = 1; n <= orders; ++n) {
    const NgramCounts ngrams = count_ngrams(translation, n);
    counts[matches + n - 1] =
        static_cast<double>(count_matches(ngrams, highest_counts(expected, n)));
    counts[totals + n - 1] =
        static_cast<double>(translation.size() < n ? 0 : translation.size() - n + 1);
  }
  return counts;
}

double Bleu::score(const Counts& counts) const {
  const std::array<double, orders> precision = precisions(counts);
  // A precision of zero makes the mean zero, unless its order is left out.
  size_t used = orders;
  if (options_.effective_order)
    used =
        static_cast<size_t>(std::find(precision.begin(), precision.end(), 0.0) - precision.begin());
  double sum = 0;
  for (size_t n = 0; n < used; ++n) {
    if (precision[n] == 0) return 0;
    sum += std::log(precision[n]);
  }
  return used == 0 ? 0 : brevity_penalty(counts) * std::exp(sum / static_cast<double>(used));
}

std::string Bleu::text(const Counts& counts) const {
  const std::array<double, orders> p = precisions(counts);
  const double reference = counts[reference_length];
  const double ratio = reference > 0 ? counts[hypothesis_length] / reference : 0;
  return fmt::format(
      "BLEU = {:.2f} {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} "
      "ref_len = "
      "{:.0f})",
      score(counts), p[0], p[1], p[2], p[3], brevity_penalty(counts), ratio,
      counts[hypothesis_length], reference);
}

std::string Bleu::signature(int references) const {
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:exp|version:{}", references,
                     options_.lowercase ? "lc" : "mixed", options_.effective_order ? "yes" : "no",
                     name_of(options_.tokeniser), reproduced_version);
}

}  // namespace heed
