// Which attention of a model aligns words best, kept in its folder.
#pragma once

#include <filesystem>
#include <optional>

#include "heed/models/decoder.h"

namespace heed {

// Nothing if the folder has no choice; an Error if it has a damaged one. The file alignment-head
// holds one line: "cross:2:3" for a head, "cross:2" for the mean of a layer's heads.
std::optional<AttentionChoice> load_alignment_choice(const std::filesystem::path& folder);
void save_alignment_choice(const std::filesystem::path& folder, const AttentionChoice& choice);

}  // namespace heed
