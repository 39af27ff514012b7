#include "heed/metrics/accuracy.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/base/error.h"

namespace heed {

namespace {

// Indices into the counts.
constexpr size_t right = 0, all = 1;

std::u32string comparable(std::string_view text, bool lower) {
  const std::u32string characters = lower ? lowercase(characters_of(text)) : characters_of(text);
  const auto first = std::find_if_not(characters.begin(), characters.end(), is_space);
  const auto last = std::find_if_not(characters.rbegin(), characters.rend(), is_space).base();
  return first < last ? std::u32string(first, last) : std::u32string();
}

}  // namespace

Metric::Counts Accuracy::count(std::string_view hypothesis,
                               std::span<const std::string_view> references) const {
  require(!references.empty(), "accuracy: there is no reference");
  const std::u32string translation = comparable(hypothesis, lowercase_);
  const bool equal = std::ranges::any_of(references, [&](std::string_view reference) {
    return comparable(reference, lowercase_) == translation;
  });
  return {equal ? 1.0 : 0.0, 1.0};
}

double Accuracy::score(const Counts& counts) const {
  return counts[all] > 0 ? 100 * counts[right] / counts[all] : 0;
}

std::string Accuracy::text(const Counts& counts) const {
  return fmt::format("accuracy = {:.2f} ({:.0f} of {:.0f})", score(counts), counts[right],
                     counts[all]);
}

std::string Accuracy::signature(int references) const {
  return fmt::format("nrefs:{}|case:{}", references, lowercase_ ? "lc" : "mixed");
}

}  // namespace heed
