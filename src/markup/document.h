// A text, a page or an XML document on its way through a translator:
//
//   Document document(page, {.kind = MarkupKind::html, .language = "en"});
//   while (!document.pending().empty()) document.take(translations of document.pending());
//   std::string translated = document.finish().text;
//
// What is promised: docs/documents.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/markup/document_options.h"
#include "heed/markup/sentence_request.h"

namespace heed {

// A sentence to translate.
struct PendingSentence {
  std::string text;          // one line, never empty
  bool needs_links = false;  // otherwise its translation needs none
};

// A sentence whose placeholders are not in its translation as they should be.
struct ReportedSentence {
  size_t line = 0;  // of the document, counted from 1
  std::string source, translation;
};

struct FinishedDocument {
  std::string text;
  std::vector<ReportedSentence> reported;
};

// Never fails, whatever the text is. Can be copied at any point, such as to finish it with several
// translations.
class Document {
 public:
  explicit Document(std::string text, const DocumentOptions& options = {});
  Document(const Document&);
  Document(Document&&) noexcept;
  Document& operator=(const Document&);
  Document& operator=(Document&&) noexcept;
  ~Document();

  // The sentences to translate next; none if all is done. Those with placeholders that did not come
  // through are pending once more, without them.
  std::span<const PendingSentence> pending() const { return pending_; }
  // A translation for each pending sentence. An Error if there are more or fewer.
  void take(std::span<const TranslatedSentence> translations);

  // The document with all that was translated; what is still pending stays as it was.
  FinishedDocument finish() const;

 private:
  struct Source;
  struct Work;
  struct Attribute;

  void ask(size_t work, FixedTexts fixed);
  void settle(size_t work, const TranslatedSentence& translation);
  size_t line_at(const char* place) const;
  size_t line_of(const Work& work) const;
  std::string render_passage(size_t part) const;
  void find_attributes();
  void ask_for_attributes();
  std::string with_attributes(const std::string& page) const;

  std::shared_ptr<const Source> source_;
  std::vector<Work> work_;          // of all sentences that have words, in order
  std::vector<size_t> first_work_;  // of each part
  std::vector<PendingSentence> pending_;
  std::vector<size_t> pending_work_;
  std::vector<Attribute> attributes_;  // their pending sentences follow those of the work
};

}  // namespace heed
