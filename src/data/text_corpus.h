// Documents for language models as a prepared corpus (see corpus_store.h): each entry is a part of
// one, small enough that a corpus of a single book can be shuffled and split.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/corpus_store.h"

namespace heed {

// What ends a document.
enum class DocumentEnd { file, blank_line, line };

// A part of a document, cut after a line or a word.
struct TextPart {
  std::string_view text;
  bool begins = true;  // a document
  bool ends = true;
};

// What the entry of a corpus of documents holds.
TextPart text_part(const PairView& entry);

struct TextReport {
  int64_t documents = 0;
  int64_t parts = 0;
  int64_t bytes = 0;
  int64_t dropped = 0;  // lines that are not UTF-8 or hold a NUL character

  std::string in_words() const;  // "2 documents of 1500 bytes"
};

// Reads files, which may be compressed, into a prepared corpus. Line ends become LF, and a line end
// stands between two lines of a document. An Error if a file cannot be read or is no text, or if
// there is no document.
TextReport prepare_text(const std::vector<std::string>& files, DocumentEnd end,
                        const std::filesystem::path& path);

}  // namespace heed
