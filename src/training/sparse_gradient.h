// A gradient of few numbers of a flat array.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/base/share.h"

namespace heed {

// Stretches of the array, in its order, and their numbers end to end.
class SparseGradient {
 public:
  // These stretches, which are in ascending order and have nothing in common; zeros, or without
  // numbers.
  void begin(std::span<const Range> stretches, bool with_values = true);

  const std::vector<Range>& stretches() const { return stretches_; }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }

  // The parts of the stretches that lie within a range, and their numbers.
  using PartVisitor = std::function<void(const Range& part, std::span<const float> values)>;
  void visit_within(const Range& range, const PartVisitor& visit) const;

 private:
  std::vector<Range> stretches_;
  std::vector<int64_t> ends_;  // of their values
  std::vector<float> values_;
};

}  // namespace heed
