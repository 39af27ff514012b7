// Words that keep the full stop after them, such as "Dr", for Moses's tokeniser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::moses {

// A file nonbreaking_prefix.* of Moses: one in each line, those before numbers with a note, and
// lines that begin with "#". An Error that begins with `name` if it is not UTF-8.
std::vector<std::string> parse_prefixes(std::string_view text, std::string_view name);

// heed's own, which are fewer than Moses's: common abbreviations and initials. Languages that it
// has none for get those of English, as with Moses.
std::vector<std::string> own_prefixes(std::string_view language);

}  // namespace heed::moses
