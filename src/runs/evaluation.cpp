#include "heed/runs/evaluation.h"

#include "heed/base/error.h"
#include "heed/base/json.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

void check_lengths(const NamedLines& hypotheses, std::span<const NamedLines> references) {
  require(!hypotheses.lines.empty(), "{}: has no lines", hypotheses.name);
  for (const NamedLines& reference : references)
    require(reference.lines.size() == hypotheses.lines.size(), "{}: {} lines but {} has {}",
            reference.name, reference.lines.size(), hypotheses.name, hypotheses.lines.size());
}

// "BLEU = 41.02 …" -> "BLEU|nrefs:1|… = 41.02 …".
std::string with_signature(const std::string& text, const std::string& signature) {
  const size_t name_end = text.find(" = ");
  return fmt::format("{}|{}{}", text.substr(0, name_end), signature, text.substr(name_end));
}

// Scores of sentences and of the corpus need different settings, but the same counts.
Evaluation evaluate(const NamedLines& hypotheses, std::span<const NamedLines> references,
                    MetricKind kind, const MetricOptions& options, bool want_sentences) {
  MetricOptions for_sentences = options;
  for_sentences.for_sentences = true;
  const auto metric = make_metric(kind, options),
             sentence_metric = make_metric(kind, for_sentences);
  Evaluation result{.kind = kind};
  Metric::Counts sum;
  std::vector<std::string_view> expected(references.size());
  for (size_t i = 0; i < hypotheses.lines.size(); ++i) {
    for (size_t r = 0; r < references.size(); ++r) expected[r] = references[r].lines[i];
    const Metric::Counts counts = metric->count(hypotheses.lines[i], expected);
    if (want_sentences) result.sentence_scores.push_back(sentence_metric->score(counts));
    add_counts(sum, counts);
    result.counts.push_back(counts);
  }
  const int count = static_cast<int>(references.size());
  result.score = metric->score(sum);
  result.signature = metric->signature(count);
  result.text = with_signature(metric->text(sum), result.signature);
  if (want_sentences) result.sentence_signature = sentence_metric->signature(count);
  return result;
}

}  // namespace

std::vector<Evaluation> evaluate(const NamedLines& hypotheses,
                                 std::span<const NamedLines> references,
                                 std::span<const MetricKind> metrics, const MetricOptions& options,
                                 bool want_sentences) {
  check_lengths(hypotheses, references);
  std::vector<Evaluation> evaluations;
  for (const MetricKind kind : metrics)
    evaluations.push_back(evaluate(hypotheses, references, kind, options, want_sentences));
  return evaluations;
}

std::vector<SystemEvaluation> evaluate_systems(std::span<const NamedLines> systems,
                                               std::span<const NamedLines> references,
                                               std::span<const MetricKind> metrics,
                                               const MetricOptions& options,
                                               const BootstrapOptions& bootstrap) {
  std::vector<SystemEvaluation> results;
  for (const NamedLines& system : systems) {
    results.push_back({system.name, evaluate(system, references, metrics, options, false)});
    if (results.size() == 1) continue;
    for (size_t i = 0; i < metrics.size(); ++i)
      results.back().comparisons.push_back(
          compare_systems(*make_metric(metrics[i], options), results.front().scores[i].counts,
                          results.back().scores[i].counts, bootstrap));
  }
  return results;
}

std::string to_json(std::span<const SystemEvaluation> systems) {
  Json json = json_object<Json>({{"systems", Json::array()}});
  for (const SystemEvaluation& system : systems) {
    Json entry = json_object<Json>({{"name", system.name}});
    for (size_t i = 0; i < system.scores.size(); ++i) {
      const Evaluation& evaluation = system.scores[i];
      Json scores =
          json_object<Json>({{"score", evaluation.score}, {"signature", evaluation.signature}});
      if (!system.comparisons.empty()) {
        const Comparison& comparison = system.comparisons[i];
        scores["mean"] = comparison.system.mean;
        scores["margin"] = comparison.system.margin;
        scores["baseline_mean"] = comparison.baseline.mean;
        scores["baseline_margin"] = comparison.baseline.margin;
        scores["p_value"] = comparison.p_value;
      }
      entry[std::string(name_of(evaluation.kind))] = scores;
    }
    json["systems"].push_back(entry);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(std::span<const SystemEvaluation> systems) {
  std::string text;
  for (const SystemEvaluation& system : systems) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", system.name);
    for (size_t i = 0; i < system.scores.size(); ++i) {
      text += fmt::format("  {}\n", system.scores[i].text);
      if (system.comparisons.empty()) continue;
      const Comparison& found = system.comparisons[i];
      text += fmt::format("    {:.2f} ± {:.2f} against {:.2f} ± {:.2f} of {}: p = {:.4f}\n",
                          found.system.mean, found.system.margin, found.baseline.mean,
                          found.baseline.margin, systems[0].name, found.p_value);
    }
  }
  return text;
}

std::string to_json(std::span<const Evaluation> evaluations) {
  Json json = Json::object();
  for (const Evaluation& evaluation : evaluations) {
    Json entry =
        json_object<Json>({{"score", evaluation.score}, {"signature", evaluation.signature}});
    if (!evaluation.sentence_scores.empty()) {
      entry["sentences"] = evaluation.sentence_scores;
      entry["sentence_signature"] = evaluation.sentence_signature;
    }
    json[std::string(name_of(evaluation.kind))] = entry;
  }
  return json.dump() + "\n";
}

std::string to_text(std::span<const Evaluation> evaluations) {
  std::string text;
  const size_t sentences = evaluations.empty() ? 0 : evaluations.front().sentence_scores.size();
  for (size_t i = 0; i < sentences; ++i)
    for (const Evaluation& evaluation : evaluations)
      text += fmt::format("{:.2f}{}", evaluation.sentence_scores[i],
                          &evaluation == &evaluations.back() ? '\n' : '\t');
  if (sentences == 0)
    for (const Evaluation& evaluation : evaluations) text += evaluation.text + "\n";
  return text;
}

}  // namespace heed
