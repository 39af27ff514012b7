// A document as passages and what stands between them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heed/markup/document_options.h"
#include "heed/markup/passage.h"

namespace heed {

struct DocumentPart {
  std::string_view raw;            // as it is written
  std::optional<Passage> passage;  // none if it stays as it is
};

// All of the text, in order; it must outlive the parts. Tags that end sentences, that are never
// closed or never opened, and those around such tags, stand between passages.
std::vector<DocumentPart> find_parts(std::string_view text, const DocumentOptions& options);

}  // namespace heed
