// TER (Snover et al. 2006): the edits that make a translation its reference, over the reference's
// length, where moving a run of words counts as one edit. In percent; lower is better.
#pragma once

#include "heed/metrics/metric.h"

namespace heed {

// Without case, with punctuation and words between spaces as they are.
class Ter : public Metric {
 public:
  Counts count(std::string_view hypothesis,
               std::span<const std::string_view> references) const override;
  double score(const Counts& counts) const override;
  std::string text(const Counts& counts) const override;
  std::string signature(int references) const override;
};

}  // namespace heed
