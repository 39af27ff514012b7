// A model's shortlist in its folder: shortlist.safetensors, with the arrays "frequent", "offsets"
// and "targets" of integers (see data/shortlist.h) and "with_source", a truth value.
#pragma once

#include <filesystem>
#include <optional>

#include "heed/data/shortlist.h"

namespace heed {

// With a checksum; complete or not there.
void save_shortlist(const std::filesystem::path& folder, const Shortlist& shortlist);

// None if the folder has none. An Error names the file where it is damaged or does not fit the
// vocabularies.
std::optional<Shortlist> load_shortlist(const std::filesystem::path& folder,
                                        int64_t source_vocabulary, int64_t target_vocabulary);

}  // namespace heed
