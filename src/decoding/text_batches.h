// How texts of known lengths are dealt to workers.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace heed {

// Ranges of texts that follow each other, each with enough tokens for fast products, and few enough
// to stay in the cache and to keep all workers busy.
std::vector<std::pair<size_t, size_t>> batches_of_texts(std::span<const size_t> lengths,
                                                        int workers);

}  // namespace heed
