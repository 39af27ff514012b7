// How fast this machine reads memory, which steps that read all weights once are compared with.
#pragma once

#include <cstddef>

namespace heed::bench {

// Bytes per second of one thread that reads a buffer of so many bytes from its first to its last,
// again and again; best of several. What fits into a cache comes from there.
double read_bandwidth(size_t bytes);

}  // namespace heed::bench
