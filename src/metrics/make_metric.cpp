#include "heed/metrics/make_metric.h"

#include "heed/metrics/accuracy.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/ter.h"

namespace heed {

std::string_view name_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::bleu:
      return "bleu";
    case MetricKind::chrf:
      return "chrf";
    case MetricKind::chrf_plus_plus:
      return "chrf++";
    case MetricKind::ter:
      return "ter";
    case MetricKind::accuracy:
      return "accuracy";
  }
  __builtin_unreachable();
}

std::unique_ptr<Metric> make_metric(MetricKind kind, const MetricOptions& options) {
  switch (kind) {
    case MetricKind::bleu:
      return std::make_unique<Bleu>(BleuOptions{.tokeniser = options.tokeniser,
                                                .lowercase = options.lowercase,
                                                .effective_order = options.for_sentences});
    case MetricKind::chrf:
      return std::make_unique<Chrf>(ChrfOptions{.lowercase = options.lowercase});
    case MetricKind::chrf_plus_plus:
      return std::make_unique<Chrf>(ChrfOptions{.word_orders = 2, .lowercase = options.lowercase});
    case MetricKind::ter:
      return std::make_unique<Ter>();
    case MetricKind::accuracy:
      return std::make_unique<Accuracy>(options.lowercase);
  }
  __builtin_unreachable();
}

}  // namespace heed
