// TER (Snover et al. 2006): the edits that turn a translation into its reference, divided by the
// reference's length, where moving a run of words counts as one edit. In percent; lower is better.
#pragma once

#include "heed/metrics/metric.h"

namespace heed {

// Ignores case; words are separated by spaces, and punctuation is kept.
class Ter : public Metric {
 public:
  Counts count(std::string_view hypothesis,
               std::span<const std::string_view> references) const override;
  double score(const Counts& counts) const override;
  std::string text(const Counts& counts) const override;
  std::string signature(int references) const override;
};

}  // namespace heed
