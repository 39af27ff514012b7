#include "heed/models/trained_lengths.h"

#include <algorithm>
#include <cmath>

namespace heed {

void TrainedLengths::add(int64_t source_tokens, int64_t target_tokens) {
  add({source_tokens, target_tokens,
       static_cast<double>(target_tokens) /
           static_cast<double>(std::max<int64_t>(1, source_tokens))});
}

void TrainedLengths::add(const TrainedLengths& other) {
  source = std::max(source, other.source);
  target = std::max(target, other.target);
  ratio = std::max(ratio, other.ratio);
}

int64_t TrainedLengths::longest_translation(int64_t source_tokens) const {
  constexpr double slack = 1.5;
  constexpr int64_t constant = 10;
  if (!known()) return std::max<int64_t>(256, 3 * source_tokens + constant);
  const auto tokens = static_cast<double>(source_tokens);
  // A source longer than any in the corpus may have a longer translation, too.
  const double beyond = std::max(1.0, tokens / static_cast<double>(source));
  const double seen = std::min(ratio * tokens, static_cast<double>(target) * beyond);
  return static_cast<int64_t>(std::ceil(slack * seen)) + constant;
}

int64_t TrainedLengths::longest_line() const {
  if (!known()) return 256;
  return std::max<int64_t>(64, source + source / 4);
}

TrainedLengths measure_lengths(const CorpusStore& corpus, const Vocabulary& source,
                               const Vocabulary& target, int64_t max_length) {
  // Of about a mebibyte each: a few seconds of work.
  constexpr int64_t most_chunks = 16;
  const int64_t looked_at = std::min(corpus.chunks(), most_chunks);
  TrainedLengths lengths;
  for (int64_t i = 0; i < looked_at; ++i)
    for (const PairView& pair : corpus.read(i * corpus.chunks() / looked_at).pairs) {
      const auto source_tokens = static_cast<int64_t>(source.encode(pair.source).size()) + 1;
      const auto target_tokens = static_cast<int64_t>(target.encode(pair.target).size()) + 1;
      if (source_tokens <= max_length && target_tokens <= max_length)
        lengths.add(source_tokens, target_tokens);
    }
  return lengths;
}

}  // namespace heed
