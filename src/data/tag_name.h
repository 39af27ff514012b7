// The names of tags that a translator reads in front of a source, and how vocabularies write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// Of what a user may call a tag, for errors.
inline constexpr std::string_view what_a_tag_is =
    "a word of at most 64 bytes without spaces, control characters, < and >";

// The name of the tag that a word means: "legal" for "legal" and for ">>legal<<". Nothing if it is
// not what a tag is.
std::optional<std::string_view> tag_name(std::string_view word);

// ">>legal<<", as MarianMT writes languages.
std::string token_of_tag(std::string_view name);

// The name of a tag whose token this is, nothing for any other piece of a vocabulary.
std::optional<std::string_view> tag_of_token(std::string_view token);

}  // namespace heed
