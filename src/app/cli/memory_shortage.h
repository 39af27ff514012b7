// What the program says when memory runs out, without allocating any.
#pragma once

namespace heed {

inline constexpr const char* memory_shortage = "heed: not enough memory\n";
inline constexpr const char* library_gave_up =
    "heed: SentencePiece gave up, most likely because there was not enough memory\n";

// For main, once. If memory runs out where no exception can be thrown, as in a destructor of some
// library, or if a library exits by itself, the program still says so, removes its unfinished files
// and exits with 1.
void install_memory_handler();

}  // namespace heed
