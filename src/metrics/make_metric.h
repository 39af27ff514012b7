// The metrics by their names.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "heed/metrics/metric.h"
#include "heed/metrics/tokenise.h"

namespace heed {

enum class MetricKind { bleu, chrf, chrf_plus_plus, ter, accuracy };

inline constexpr std::array every_metric = {MetricKind::bleu, MetricKind::chrf,
                                            MetricKind::chrf_plus_plus, MetricKind::ter,
                                            MetricKind::accuracy};

std::string_view name_of(MetricKind kind);  // "bleu", "chrf", "chrf++", "ter", "accuracy"

struct MetricOptions {
  Tokeniser tokeniser = Tokeniser::v13a;  // of BLEU
  bool lowercase = false;                 // TER always does
  bool for_sentences = false;             // score single sentences instead of a corpus
};

std::unique_ptr<Metric> make_metric(MetricKind kind, const MetricOptions& options = {});

}  // namespace heed
