// sacreBLEU's scores of real translations, if they are available: golden.json and the texts that it
// names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "external_data.h"
#include "heed/metrics/make_metric.h"

namespace heed {
namespace {

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// "bleu/13a/lc" and the like.
std::unique_ptr<Metric> metric_named(const std::string& name) {
  MetricOptions options{.lowercase = name.ends_with("/lc")};
  for (const Tokeniser tokeniser : every_tokeniser)
    if (name.find(fmt::format("/{}", name_of(tokeniser))) != name.npos)
      options.tokeniser = tokeniser;
  for (const MetricKind kind : every_metric)
    if (name_of(kind) == name.substr(0, name.find('/'))) return make_metric(kind, options);
  return nullptr;
}

std::string without_version(const std::string& signature) {
  return signature.substr(0, signature.rfind('|'));
}

class Golden : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::external_data("metrics");
    if (!std::filesystem::exists(folder_ / "golden.json"))
      GTEST_SKIP() << "no golden.json in " << folder_;
    golden_ = nlohmann::json::parse(std::ifstream(folder_ / "golden.json"));
    ASSERT_FALSE(golden_["cases"].empty());
  }

  std::vector<std::string> lines(const nlohmann::json& test, const std::string& ending) const {
    return lines_of(folder_ / (test["name"].get<std::string>() + ending));
  }

  std::filesystem::path folder_;
  nlohmann::json golden_;
};

TEST_F(Golden, Corpora) {
  for (const auto& test : golden_["cases"])
    for (const auto& [name, expected] : test["corpus"].items()) {
      SCOPED_TRACE(test["name"].get<std::string>() + " " + name);
      const auto metric = metric_named(name);
      ASSERT_NE(metric, nullptr);
      const Metric::Counts counts = count_corpus(*metric, lines(test, ".hyp"), lines(test, ".ref"));
      EXPECT_NEAR(metric->score(counts), expected["score"].get<double>(), 1e-10);
      EXPECT_EQ(metric->text(counts), expected["text"]);
      EXPECT_EQ(without_version(metric->signature(1)), without_version(expected["signature"]));
    }
}

TEST_F(Golden, Sentences) {
  const MetricOptions options{.for_sentences = true};
  const std::array metrics = {make_metric(MetricKind::bleu, options),
                              make_metric(MetricKind::chrf, options),
                              make_metric(MetricKind::ter, options)};
  for (const auto& test : golden_["cases"]) {
    const std::vector<std::string> hypotheses = lines(test, ".hyp"),
                                   references = lines(test, ".ref");
    const auto& expected = test["sentences_bleu_chrf_ter"];
    for (size_t i = 0; i < expected.size(); ++i)
      for (size_t m = 0; m < metrics.size(); ++m) {
        const std::string_view reference = references.at(i);
        EXPECT_NEAR(metrics[m]->score(metrics[m]->count(hypotheses.at(i), {&reference, 1})),
                    expected[i][m].get<double>(), 1e-10)
            << test["name"] << " sentence " << i << " metric " << m;
      }
  }
}

}  // namespace
}  // namespace heed
