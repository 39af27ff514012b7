// BLEU (Papineni et al. 2002): the geometric mean of the precisions of n-grams of up to four words,
// times a penalty for translations that are shorter than their references.
#pragma once

#include "heed/metrics/metric.h"
#include "heed/metrics/tokenise.h"

namespace heed {

struct BleuOptions {
  Tokeniser tokeniser = Tokeniser::v13a;
  bool lowercase = false;
  // Skip orders that the translation is too short for; used for single sentences.
  bool effective_order = false;
};

class Bleu : public Metric {
 public:
  explicit Bleu(const BleuOptions& options = {}) : options_(options) {}

  Counts count(std::string_view hypothesis,
               std::span<const std::string_view> references) const override;
  double score(const Counts& counts) const override;
  std::string text(const Counts& counts) const override;
  std::string signature(int references) const override;

 private:
  BleuOptions options_;
};

}  // namespace heed
