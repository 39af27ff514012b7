// chrF (Popović 2015): the F-score of n-grams of up to six characters, recall weighing twice as
// much as precision; chrF++ (2017) adds words and pairs of words.
#pragma once

#include "heed/metrics/metric.h"

namespace heed {

struct ChrfOptions {
  int word_orders = 0;  // 2 makes it chrF++
  bool lowercase = false;
};

class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options = {}) : options_(options) {}

  // With several references, the one with the best score counts.
  Counts count(std::string_view hypothesis,
               std::span<const std::string_view> references) const override;
  double score(const Counts& counts) const override;
  std::string text(const Counts& counts) const override;
  std::string signature(int references) const override;

 private:
  ChrfOptions options_;
};

}  // namespace heed
