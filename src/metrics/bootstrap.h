// Whether one system is better than another, or just luckier with the test set: both are scored on
// many random test sets, drawn with replacement from the sentences of the real one (Koehn, 2004).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/metrics/metric.h"

namespace heed {

// The mean over the random test sets, and by how much 95 % of a normal distribution would stay
// around it.
struct BootstrapScore {
  double mean = 0;
  double margin = 0;
};

struct Comparison {
  BootstrapScore baseline, system;
  // How often random test sets alone would make a difference as large as the one that was seen:
  // below 0.05 it is usually believed.
  double p_value = 1;
};

struct BootstrapOptions {
  int samples = 1000;
  uint64_t seed = 12345;
};

// The counts of each sentence, as many for the one as for the other, and at least one.
Comparison compare_systems(const Metric& metric, std::span<const Metric::Counts> baseline,
                           std::span<const Metric::Counts> system,
                           const BootstrapOptions& options = {});

}  // namespace heed
