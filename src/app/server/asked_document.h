// How a request says what its texts are.
#pragma once

#include <string>
#include <vector>

#include "heed/markup/document_options.h"
#include "heed/server/parameters.h"

namespace heed {

// format: "text", "html" or "xml"; a Refusal (400) for any other.
DocumentOptions document_options(const std::string& format, const std::string& language);

// DeepL's split_sentences, tag_handling and lists of tags.
DocumentOptions deepl_document(const Parameters& parameters, const std::string& language);

// One of these, or a Refusal (400) as DeepL says it. True and false, 1 and 0 are the same.
std::string deepl_choice(const Parameters& parameters, const char* name, const char* usual,
                         std::initializer_list<std::string_view> allowed);

// What people read of the texts, in one, for the detection of their language.
std::string readable_text(const std::vector<std::string>& texts, MarkupKind kind);

}  // namespace heed
