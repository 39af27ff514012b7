// Fills gettext's PO files.
#pragma once

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

// Forms that are there stay as they are where only missing ones are wanted.
PoProgress translate(PoFile& file, const PoOptions& options, const Translator& translator,
                     const SearchOptions& search);

}  // namespace heed
