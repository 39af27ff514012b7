// The shortlist of a CTranslate2 folder: vmap.txt, in text.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "heed/data/shortlist.h"

namespace heed::ctranslate2 {

// The tokens of a side in the order of heed's ids; empty where the folder has none for an id.
using TokensById = std::span<const std::string>;

// None if the folder has none. A line has a source token, a tab and the tokens that can be in its
// translation, with spaces between them; without a source token, they are candidates of every
// sentence. Where a line has several source tokens, its candidates are those of the first: a few
// more than CTranslate2 would take, and never fewer. Tokens that the model does not know are left
// out.
std::optional<Shortlist> read_vmap(const std::filesystem::path& folder, TokensById source,
                                   TokensById target);

std::string vmap_text(const Shortlist& shortlist, TokensById source, TokensById target);

}  // namespace heed::ctranslate2
