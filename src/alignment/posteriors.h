// How probable it is, for each target word of a sentence, that it comes from each source word.
#pragma once

#include <cstddef>
#include <vector>

namespace heed {

// That a target word comes from no source word, before anything is known about it.
inline constexpr double probability_of_none = 0.08;

// (targets, 1 + sources): the first column is of target words that come from no source word. Before
// the posteriors are known, it holds the probabilities of the words.
class Posteriors {
 public:
  void resize(size_t sources, size_t targets) {
    sources_ = sources;
    values_.assign((sources + 1) * targets, 0.0);
    targets_ = targets;
  }

  size_t sources() const { return sources_; }
  size_t targets() const { return targets_; }

  double& none(size_t target) { return values_[target * (sources_ + 1)]; }
  double none(size_t target) const { return values_[target * (sources_ + 1)]; }
  double& at(size_t target, size_t source) { return values_[target * (sources_ + 1) + 1 + source]; }
  double at(size_t target, size_t source) const {
    return values_[target * (sources_ + 1) + 1 + source];
  }

 private:
  size_t sources_ = 0, targets_ = 0;
  std::vector<double> values_;
};

}  // namespace heed
