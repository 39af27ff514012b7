// Documents through a translator.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heed/decoding/translator.h"
#include "heed/markup/document.h"

namespace heed {

// The request for a pending sentence, with links where they are needed.
TranslationRequest request_for(const PendingSentence& sentence, const SearchOptions& options);

// The best of the translations, for Document::take(); empty if there is none.
TranslatedSentence best_of(std::vector<Translation> ranked);

struct DocumentProgress {
  size_t sentences = 0;  // that have been translated, once more for those that are tried again
  size_t in_parts = 0, cut = 0, without_terms = 0;  // of them, see Translation
};

// Translates all pending sentences of the documents together.
DocumentProgress translate(std::span<Document> documents, const Translator& translator,
                           const SearchOptions& options);

}  // namespace heed
