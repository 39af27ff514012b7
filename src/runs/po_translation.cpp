#include "heed/runs/po_translation.h"

#include <algorithm>
#include <utility>

namespace heed {

namespace {

// Whether nobody has written anything; what marks it as fuzzy then means nothing.
bool is_empty(const PoMessage& message) {
  return std::ranges::all_of(message.forms, [](const auto& form) { return form.empty(); });
}

bool is_wanted(const PoMessage& message, PoChoice choice) {
  switch (choice) {
    case PoChoice::missing:
      return message.is_missing() && (!message.is_fuzzy || is_empty(message));
    case PoChoice::fuzzy:
      return message.is_missing() || message.is_fuzzy;
    case PoChoice::all:
      return true;
  }
  return false;
}

}  // namespace

PoTask::PoTask(PoFile& file, PoOptions options) : file_(file), options_(std::move(options)) {
  for (size_t i = 0; i < file.messages().size(); ++i) {
    const PoMessage& message = file.messages()[i];
    if (!is_wanted(message, options_.choice)) continue;
    chosen_.push_back({.message = i, .singular = texts_.size(), .plural = texts_.size()});
    texts_.push_back(message.id);
    if (!message.has_plural) continue;
    chosen_.back().plural = texts_.size();
    texts_.push_back(message.plural);
  }
}

DocumentOptions PoTask::document_options() const {
  return {.kind = MarkupKind::text, .language = options_.language};
}

PoProgress PoTask::fill(std::span<const FinishedDocument> finished) {
  PoProgress progress;
  progress.messages = file_.messages().size();
  for (const Chosen& own : chosen_) {
    const PoMessage& message = file_.messages()[own.message];
    const FinishedDocument &singular = finished[own.singular], &plural = finished[own.plural];
    std::vector<ReportedSentence> reported = singular.reported;
    if (own.plural != own.singular)
      reported.insert(reported.end(), plural.reported.begin(), plural.reported.end());
    if (!reported.empty()) {
      progress.reported.push_back({.line = message.line,
                                   .source = reported.front().source,
                                   .translation = reported.front().translation});
      continue;
    }
    file_.set_translation(own.message, forms_of(message, singular.text, plural.text),
                          options_.mark);
    ++progress.translated;
  }
  return progress;
}

std::vector<std::string> PoTask::forms_of(const PoMessage& message, const std::string& singular,
                                          const std::string& plural) const {
  std::vector<std::string> forms(file_.forms_of(message));
  for (size_t form = 0; form < forms.size(); ++form) {
    const bool is_there = form < message.forms.size() && !message.forms[form].empty();
    const bool is_singular =
        static_cast<int>(form) == file_.plural_rule().singular_form && forms.size() > 1;
    if (is_there && !message.is_fuzzy && options_.choice != PoChoice::all)
      forms[form] = message.forms[form];
    else
      forms[form] = is_singular ? singular : plural;
  }
  return forms;
}

PoProgress translate(PoFile& file, const PoOptions& options, const Translator& translator,
                     const SearchOptions& search) {
  PoTask task(file, options);
  std::vector<Document> documents;
  for (const std::string& text : task.texts())
    documents.emplace_back(text, task.document_options());
  const DocumentProgress sentences = translate(documents, translator, search);
  std::vector<FinishedDocument> finished;
  for (const Document& document : documents) finished.push_back(document.finish());
  PoProgress progress = task.fill(finished);
  progress.sentences = sentences;
  return progress;
}

}  // namespace heed
