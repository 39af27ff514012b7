// Words as the aligner sees them. Written forms tell much where there is little text: forms of one
// word begin alike ("house", "houses"), and names, numbers and loans look alike in both languages.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// In lower case, without accents and the like, and only the first `characters` of it; all if 0.
// Never empty unless the word is.
std::u32string word_form(std::u32string_view word, int characters);

// How alike two forms are, from 0 to 1: the length of what they have in common in the same order,
// as a share of the longer one. 0 unless that is at least a half, and for different forms of fewer
// than two characters. Only the first 64 characters count.
double likeness(std::u32string_view one, std::u32string_view other);

}  // namespace heed
