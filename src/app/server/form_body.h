// Bodies of forms: application/x-www-form-urlencoded and multipart/form-data.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

using FormFields = std::vector<std::pair<std::string, std::string>>;

// "a=1&b=2". An Error if a percent sign stands for nothing.
FormFields parse_form(std::string_view text);

// The boundary stands in the content type. An Error says what is wrong with the body. A part of a
// file counts as a field.
FormFields parse_multipart(std::string_view body, std::string_view content_type);

}  // namespace heed
