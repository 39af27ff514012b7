// Paired bootstrap (Koehn, 2004): is one system better than another, or just lucky with the test
// set? Both are scored on many random test sets, drawn with replacement from the real one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/metrics/metric.h"

namespace heed {

// The mean over the random test sets, and the half-width of its 95 % confidence interval.
struct BootstrapScore {
  double mean = 0;
  double margin = 0;
};

struct Comparison {
  BootstrapScore baseline, system;
  // The probability of a difference as large as the observed one by chance; below 0.05 counts as
  // significant.
  double p_value = 1;
};

struct BootstrapOptions {
  int samples = 1000;
  uint64_t seed = 12345;
};

// The counts of each sentence: equally many for both systems, and at least one.
Comparison compare_systems(const Metric& metric, std::span<const Metric::Counts> baseline,
                           std::span<const Metric::Counts> system,
                           const BootstrapOptions& options = {});

}  // namespace heed
