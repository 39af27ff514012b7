#include "heed/runs/document_translation.h"

#include <utility>

namespace heed {

TranslationRequest request_for(const PendingSentence& sentence, const SearchOptions& options) {
  return {.text = sentence.text, .options = options, .want_links = sentence.needs_links};
}

TranslatedSentence best_of(std::vector<Translation> ranked) {
  if (ranked.empty()) return {};
  return {.text = std::move(ranked.front().text), .links = std::move(ranked.front().links)};
}

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
    std::vector<std::vector<Translation>> all = translator.translate_n_best(std::move(requests));
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
