// The attributes of HTML that people read: alternative texts, titles, labels of buttons …
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/markup/document_options.h"

namespace heed {

struct AttributeText {
  TextRange whole;       // of the page: the value with its quotes, if it has any
  std::string_view raw;  // the value as it is written
};

// Of all tags of a page but those that stay as they are. By the list of the HTML standard: title,
// alt, placeholder, label, abbr, the value of buttons, the description of the page, and the texts
// of WAI-ARIA.
std::vector<AttributeText> find_attribute_texts(std::string_view page,
                                                const DocumentOptions& options);

// The value with another text: with the quotes that it has, or else with quotes.
std::string with_text(const AttributeText& attribute, std::string_view page, std::string_view text);

}  // namespace heed
