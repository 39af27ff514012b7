// Bodies of forms: application/x-www-form-urlencoded and multipart/form-data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct FormField {
  std::string name, value;
  std::string file = {};  // the name of the file that the value was, if it was one

  bool operator==(const FormField&) const = default;
};

using FormFields = std::vector<FormField>;

// "a=1&b=2". An Error if a percent sign stands for nothing.
FormFields parse_form(std::string_view text);

// The boundary stands in the content type. An Error says what is wrong with the body.
FormFields parse_multipart(std::string_view body, std::string_view content_type);

}  // namespace heed
