// Lines that travel to a rank, and what it makes of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/app/cli/translation_counts.h"

namespace heed {

struct TranslationChunk {
  int64_t first = 0;  // the number of its first line, counted from 0
  std::vector<std::string> lines;
  std::vector<std::string> prefixes;  // as many as lines, or none
};

struct TranslatedChunk {
  std::string text;  // as it is written, with line ends
  TranslationCounts counts;
};

std::string packed(const TranslationChunk& chunk);
std::string packed(const TranslatedChunk& chunk);
TranslationChunk unpack_chunk(const std::string& letter);
TranslatedChunk unpack_translated(const std::string& letter);

TranslatedChunk translate_chunk(const TranslationChunk& chunk, const Translator& translator,
                                const SearchOptions& search, const TranslationFormat& format);

}  // namespace heed
