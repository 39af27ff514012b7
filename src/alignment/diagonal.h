// A prior of positions: words are near the diagonal of a sentence pair (Dyer, Chahuneau and Smith,
// 2013). Source word i of I is as probable for target word j of J as
// exp(-tension |(i + 1) / I - (j + 1) / J|), and every word comes from none with the same
// probability. The tension is learnt.
#pragma once

#include "heed/alignment/exact_sum.h"
#include "heed/alignment/posteriors.h"

namespace heed {

class Diagonal {
 public:
  double tension() const { return tension_; }

  // Turns the probabilities of words into posteriors and, from any thread, counts for maximise().
  void apply(Posteriors& words, bool counting);

  // One step of Newton's method towards the tension whose mean distance is that of the posteriors.
  void maximise();

 private:
  double tension_ = 4;
  ExactSum distance_;           // of the posteriors
  ExactSum expected_distance_;  // of the prior
  ExactSum variance_;           // of the prior
};

}  // namespace heed
