// A prior of positions: the hidden Markov model of Vogel, Ney and Tillmann (1996). The source word
// of a target word depends on that of the target word before it, by the number of words between
// them alone. A target word from no source word leaves the place where it is (Och and Ney, 2003).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "heed/alignment/exact_sum.h"
#include "heed/alignment/posteriors.h"

namespace heed {

class Jumps {
 public:
  Jumps();

  // Turns the probabilities of words into posteriors and, from any thread, counts for maximise().
  // Takes a time in proportion to the number of links.
  void apply(Posteriors& words, bool counting);

  void maximise();

  // In proportion to the probability of going on `words` words after the last one.
  double weight(int64_t words) const;

 private:
  // Jumps as far as this are all alike.
  static constexpr int64_t far = 8;

  // out[b] = the sum over a of in[a] weight(b - a), or weight(a - b) if `backward`.
  void spread(std::span<const double> in, std::span<double> out, bool backward) const;
  void count(std::span<const double> from, std::span<const double> to);

  std::array<double, 2 * far + 1> weights_;
  std::array<ExactSum, 2 * far + 1> counts_;
};

}  // namespace heed
