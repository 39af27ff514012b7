// The normalisation table of a SentencePiece model: which characters are replaced by which.
#pragma once

#include <string_view>

namespace heed {

// An Error that begins with `name` if some text could make SentencePiece, which does not check,
// read beyond the end of the table.
void check_character_table(std::string_view table, std::string_view name);

}  // namespace heed
