// `heed translate --format`: whole documents.
#pragma once

#include <string>

#include "heed/app/cli/console.h"
#include "heed/decoding/translator.h"
#include "heed/runs/po_translation.h"

namespace heed {

enum class DocumentFormat { lines, html, xml, po };

struct DocumentSettings {
  DocumentFormat format = DocumentFormat::lines;
  std::string input = "-";
  bool forced = false;
  bool attributes = false;  // of HTML, those that people read
  PoOptions po = {};        // its language is that of any document
};

// Reads a document and writes its translation to `console.out`. What was not translated well is
// reported on standard error, with its line.
void translate_document(const DocumentSettings& settings, const Translator& translator,
                        const SearchOptions& search, const Console& console);

}  // namespace heed
