// Fills gettext's PO files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/markup/po_file.h"
#include "heed/runs/document_translation.h"

namespace heed {

// Which messages are translated.
enum class PoChoice {
  missing,  // those without a translation
  fuzzy,    // and those whose translation is marked as fuzzy
  all,
};

struct PoOptions {
  PoChoice choice = PoChoice::missing;
  FuzzyMark mark = FuzzyMark::set;
  std::string language = {};  // of the messages
};

// A message that keeps what it had, because a placeholder got lost.
struct ReportedMessage {
  size_t line = 0;
  std::string source, translation;
};

struct PoProgress {
  size_t messages = 0, translated = 0;
  std::vector<ReportedMessage> reported = {};
  DocumentProgress sentences = {};
};

// The messages of a file that are to be translated, which a caller does as it likes.
class PoTask {
 public:
  PoTask(PoFile& file, PoOptions options);

  // What is to be translated, each as a document of its own.
  const std::vector<std::string>& texts() const { return texts_; }
  DocumentOptions document_options() const;
  // The documents of the texts. Forms that are there stay as they are where only missing ones are
  // wanted.
  PoProgress fill(std::span<const FinishedDocument> finished);

 private:
  // The texts of a message: its singular or its only one and, if there is one, its plural.
  struct Chosen {
    size_t message = 0, singular = 0, plural = 0;
  };
  std::vector<std::string> forms_of(const PoMessage& message, const std::string& singular,
                                    const std::string& plural) const;

  PoFile& file_;
  PoOptions options_;
  std::vector<std::string> texts_;
  std::vector<Chosen> chosen_;
};

PoProgress translate(PoFile& file, const PoOptions& options, const Translator& translator,
                     const SearchOptions& search);

}  // namespace heed
