// Statistics of translated lines.
#pragma once

#include <cstdint>
#include <span>

#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/translation_text.h"

namespace heed {

struct TranslationCounts {
  LineCounts lines;
  int64_t translations = 0;
  int64_t in_parts = 0;       // lines that were too long for the model
  int64_t cut = 0;            // best translations that were cut at the maximum length
  int64_t without_terms = 0;  // that lack a term of the glossary
  int64_t unaligned = 0;      // lines with too many words for a soft alignment

  void add(std::span<const Translation> ranked, const TranslationFormat& format);
  void add(const TranslationCounts& others);  // but those of the input's lines
};

}  // namespace heed
