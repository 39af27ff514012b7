// The strings of gettext's PO files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// What a string between quotation marks means, such as "a\tb\n". Nothing if it is none: no
// quotation marks, one inside without a backslash, or an escape that C does not know.
std::optional<std::string> parse_po_string(std::string_view quoted);

// A keyword with its string as gettext's own tools write it: in lines of at most 79 columns, broken
// after spaces and after every \n.
std::string write_po_string(std::string_view keyword, std::string_view text,
                            std::string_view line_end = "\n");

}  // namespace heed
