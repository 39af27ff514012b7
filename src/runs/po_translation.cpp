#include "heed/runs/po_translation.h"

#include <algorithm>
#include <utility>

namespace heed {

namespace {

bool is_wanted(const PoMessage& message, PoChoice choice) {
  switch (choice) {
    case PoChoice::missing:
      return message.is_missing() && !message.is_fuzzy;
    case PoChoice::fuzzy:
      return message.is_missing() || message.is_fuzzy;
    case PoChoice::all:
      return true;
  }
  return false;
}

// The documents of a message: its singular or its only text and, if there is one, its plural.
struct MessageDocuments {
  size_t message = 0, singular = 0, plural = 0;
};

}  // namespace

PoProgress translate(PoFile& file, const PoOptions& options, const Translator& translator,
                     const SearchOptions& search) {
  const DocumentOptions reading = {.kind = MarkupKind::text, .language = options.language};
  std::vector<Document> documents;
  std::vector<MessageDocuments> chosen;
  for (size_t i = 0; i < file.messages().size(); ++i) {
    const PoMessage& message = file.messages()[i];
    if (!is_wanted(message, options.choice)) continue;
    chosen.push_back({.message = i, .singular = documents.size(), .plural = documents.size()});
    documents.emplace_back(message.id, reading);
    if (!message.has_plural) continue;
    chosen.back().plural = documents.size();
    documents.emplace_back(message.plural, reading);
  }

  PoProgress progress;
  progress.messages = file.messages().size();
  progress.sentences = translate(documents, translator, search);
  for (const MessageDocuments& own : chosen) {
    const PoMessage& message = file.messages()[own.message];
    const FinishedDocument singular = documents[own.singular].finish(),
                           plural = documents[own.plural].finish();
    std::vector<ReportedSentence> reported = singular.reported;
    if (own.plural != own.singular)
      reported.insert(reported.end(), plural.reported.begin(), plural.reported.end());
    if (!reported.empty()) {
      progress.reported.push_back({.line = message.line,
                                   .source = reported.front().source,
                                   .translation = reported.front().translation});
      continue;
    }
    std::vector<std::string> forms(file.forms_of(message));
    for (size_t form = 0; form < forms.size(); ++form) {
      const bool is_there = form < message.forms.size() && !message.forms[form].empty();
      const bool is_singular =
          static_cast<int>(form) == file.plural_rule().singular_form && forms.size() > 1;
      if (is_there && !message.is_fuzzy && options.choice != PoChoice::all)
        forms[form] = message.forms[form];
      else
        forms[form] = is_singular ? singular.text : plural.text;
    }
    file.set_translation(own.message, std::move(forms), options.mark);
    ++progress.translated;
  }
  return progress;
}

}  // namespace heed
