#include "heed/metrics/make_metric.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

TEST(MakeMetric, EveryMetricKnowsAGoodTranslation) {
  for (const MetricKind kind : every_metric) {
    const auto metric = make_metric(kind, {.for_sentences = true});
    const std::vector<std::string_view> reference = {"Guten Tag, Welt!"};
    const double best = metric->score(metric->count(reference[0], reference));
    EXPECT_NEAR(best, kind == MetricKind::ter ? 0 : 100, 1e-10) << name_of(kind);
    EXPECT_NE(metric->score(metric->count("Bonjour!", reference)), best) << name_of(kind);
    EXPECT_NE(testing::error_of([&] { metric->count("a", {}); }).find("there is no reference"),
              std::string::npos);
  }
}

TEST(MakeMetric, PassesTheOptionsOn) {
  const auto signature = [](MetricKind kind, const MetricOptions& options) {
    return make_metric(kind, options)->signature(1);
  };
  const MetricOptions options{
      .tokeniser = Tokeniser::chinese, .lowercase = true, .for_sentences = true};
  EXPECT_EQ(signature(MetricKind::bleu, options),
            "nrefs:1|case:lc|eff:yes|tok:zh|smooth:exp|version:2.6.0");
  EXPECT_EQ(signature(MetricKind::chrf, options),
            "nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0");
  EXPECT_EQ(signature(MetricKind::chrf_plus_plus, options),
            "nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0");
  EXPECT_EQ(signature(MetricKind::accuracy, options), "nrefs:1|case:lc");
}

TEST(MakeMetric, Names) {
  std::string names;
  for (const MetricKind kind : every_metric) names += std::string(name_of(kind)) + " ";
  EXPECT_EQ(names, "bleu chrf chrf++ ter accuracy ");
}

}  // namespace
}  // namespace heed
