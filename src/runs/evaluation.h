// Scores of a file of translations against one or more files of references.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/metrics/bootstrap.h"
#include "heed/metrics/make_metric.h"

namespace heed {

// Lines with a name for errors.
struct NamedLines {
  std::string name;
  std::vector<std::string> lines;
};

// The scores of one metric.
struct Evaluation {
  MetricKind kind;
  double score = 0;
  std::string text = {};                     // as sacreBLEU prints it with its signature
  std::string signature = {};                // of the score
  std::vector<double> sentence_scores = {};  // where wanted
  std::string sentence_signature = {};
  std::vector<Metric::Counts> counts = {};  // of each sentence
};

// Line i of each file of references is a reference for line i of the translations. An Error if they
// differ in length or are empty.
std::vector<Evaluation> evaluate(const NamedLines& hypotheses,
                                 std::span<const NamedLines> references,
                                 std::span<const MetricKind> metrics, const MetricOptions& options,
                                 bool want_sentences);

// A system among several: its scores, and how it compares with the first one, metric by metric.
struct SystemEvaluation {
  std::string name;
  std::vector<Evaluation> scores;
  std::vector<Comparison> comparisons = {};  // none for the first
};

std::vector<SystemEvaluation> evaluate_systems(std::span<const NamedLines> systems,
                                               std::span<const NamedLines> references,
                                               std::span<const MetricKind> metrics,
                                               const MetricOptions& options,
                                               const BootstrapOptions& bootstrap);

// {"systems": [{"name": "a.de", "bleu": {"score": …, "signature": …, "p_value": …, …}}, …]}
std::string to_json(std::span<const SystemEvaluation> systems);
// A paragraph for each system.
std::string to_text(std::span<const SystemEvaluation> systems);

// {"bleu": {"score": 41.02, "signature": "…"}, …}; with "sentences" and "sentence_signature" if
// there are scores of sentences.
std::string to_json(std::span<const Evaluation> evaluations);

// A line for each metric; or, if there are scores of sentences, a line for each sentence with its
// scores between tabs, in the order of the metrics.
std::string to_text(std::span<const Evaluation> evaluations);

}  // namespace heed
