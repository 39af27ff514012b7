#include "heed/runs/translation_judge.h"

#include <algorithm>
#include <utility>

#include "heed/decoding/translator.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"

namespace heed {

TranslationJudge::TranslationJudge(const CorpusStore& corpus, Vocabulary source, Vocabulary target,
                                   const JudgeOptions& options)
    : source_(std::move(source)), target_(std::move(target)), options_(options) {
  for (int64_t chunk = 0; chunk < corpus.chunks(); ++chunk)
    for (const PairView& pair : corpus.read(chunk).pairs) {
      if (static_cast<int>(sources_.size()) == options.lines) return;
      sources_.emplace_back(pair.source);
      references_.emplace_back(pair.target);
      tags_.emplace_back(pair.tag);
    }
}

OutputScores TranslationJudge::operator()(const Model& model, int threads) const {
  const Translator translator(
      model.prepare(Precision::float32), source_, target_,
      {.threads = threads, .lengths = options_.lengths, .tags = options_.tags});
  std::vector<TranslationRequest> requests(sources_.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].text = sources_[i];
    requests[i].tag = tags_[i];
    requests[i].options.beam = options_.beam;
  }
  std::vector<std::string> translations;
  for (std::vector<Translation>& ranked : translator.translate_n_best(std::move(requests)))
    translations.push_back(ranked.empty() ? std::string() : std::move(ranked.front().text));
  const Tokeniser tokeniser = options_.tokenised ? Tokeniser::none : Tokeniser::v13a;
  OutputScores scores = {
      .bleu = corpus_score(Bleu({.tokeniser = tokeniser}), translations, references_),
      .chrf = corpus_score(Chrf(), translations, references_)};
  const size_t samples = std::min(static_cast<size_t>(options_.samples), sources_.size());
  for (size_t i = 0; i < samples; ++i)
    scores.samples.push_back({sources_[i], references_[i], translations[i]});
  return scores;
}

}  // namespace heed
