// One alignment from two: of each target word with a source word, and of each source word with a
// target word (Och and Ney, 2003; Koehn, Och and Marcu, 2003).
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "heed/metrics/alignment_error.h"

namespace heed {

enum class Symmetrisation {
  forward,              // a source word for each target word
  reverse,              // a target word for each source word
  intersect,            // links that are in both
  unite,                // links that are in either
  grow_diag,            // both, and neighbours of those from either, where a word has no link yet
  grow_diag_final,      // also the rest of either, where one of the words has no link yet
  grow_diag_final_and,  // also the rest of either, where neither word has a link yet
};

inline constexpr std::array every_symmetrisation = {Symmetrisation::forward,
                                                    Symmetrisation::reverse,
                                                    Symmetrisation::intersect,
                                                    Symmetrisation::unite,
                                                    Symmetrisation::grow_diag,
                                                    Symmetrisation::grow_diag_final,
                                                    Symmetrisation::grow_diag_final_and};

// "forward", "reverse", "intersect", "union", "grow-diag", "grow-diag-final", …
std::string_view name_of(Symmetrisation method);

// Sorted, each once. All links are between words below `sources` and `targets`.
std::vector<WordLink> symmetrise(Symmetrisation method, std::span<const WordLink> forward,
                                 std::span<const WordLink> reverse, int64_t sources,
                                 int64_t targets);

}  // namespace heed
