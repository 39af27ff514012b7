// The share of translations that equal a reference.
#pragma once

#include "heed/metrics/metric.h"

namespace heed {

class Accuracy : public Metric {
 public:
  explicit Accuracy(bool lowercase = false) : lowercase_(lowercase) {}

  // Leading and trailing spaces are ignored.
  Counts count(std::string_view hypothesis,
               std::span<const std::string_view> references) const override;
  double score(const Counts& counts) const override;
  std::string text(const Counts& counts) const override;
  std::string signature(int references) const override;

 private:
  bool lowercase_;
};

}  // namespace heed
