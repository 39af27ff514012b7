#include "heed/runs/document_translation.h"

#include <latch>
#include <memory>
#include <utility>

namespace heed {

TranslationRequest request_for(const PendingSentence& sentence, const SearchOptions& options) {
  return {.text = sentence.text, .options = options, .want_links = sentence.needs_links};
}

TranslatedSentence best_of(std::vector<Translation> ranked) {
  if (ranked.empty()) return {};
  return {.text = std::move(ranked.front().text), .links = std::move(ranked.front().links)};
}

namespace {

std::vector<std::vector<Translation>> translate_all(std::vector<TranslationRequest> requests,
                                                    const Translator& translator) {
  const auto left = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(requests.size()));
  std::vector<TranslationResult> results(requests.size());
  translator.submit(std::move(requests), [&results, left](size_t i, TranslationResult result) {
    results[i] = std::move(result);
    left->count_down();
  });
  translator.work_until([&] { return left->try_wait(); });
  left->wait();
  std::vector<std::vector<Translation>> translations;
  for (TranslationResult& result : results) {
    if (result.error) std::rethrow_exception(result.error);
    translations.push_back(std::move(result.translations));
  }
  return translations;
}

}  // namespace

DocumentProgress translate(std::span<Document> documents, const Translator& translator,
                           const SearchOptions& options) {
  DocumentProgress progress;
  while (true) {
    std::vector<TranslationRequest> requests;
    for (const Document& document : documents)
      for (const PendingSentence& sentence : document.pending())
        requests.push_back(request_for(sentence, options));
    if (requests.empty()) return progress;
    progress.sentences += requests.size();
    std::vector<std::vector<Translation>> all = translate_all(std::move(requests), translator);
    size_t next = 0;
    for (Document& document : documents) {
      std::vector<TranslatedSentence> translations;
      for (size_t i = 0; i < document.pending().size(); ++i) {
        std::vector<Translation>& ranked = all[next++];
        if (!ranked.empty()) {
          progress.in_parts += ranked.front().parts > 1 ? 1 : 0;
          progress.without_terms += ranked.front().missing.empty() ? 0 : 1;
          progress.cut += ranked.front().hypothesis.cut ? 1 : 0;
        }
        translations.push_back(best_of(std::move(ranked)));
      }
      document.take(translations);
    }
  }
}

}  // namespace heed
