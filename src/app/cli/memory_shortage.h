// How the program runs with little memory, and what it says when there is none left, which must not
// take any.
#pragma once

namespace heed {

inline constexpr const char* memory_shortage = "heed: there is not enough memory\n";

// For main, once: where memory is short in a place that cannot hand the failure on, such as a
// destructor of some library, the program still says so, removes the files that it has not finished
// and ends with 1.
void install_memory_handler();

// For main, before there are threads: where the address space is limited (ulimit -v), threads share
// the memory of malloc. Usually each has an arena of its own, for which 64 MB are reserved; where
// they are not to be had, malloc would ask the system for a page for each piece of memory.
void share_limited_memory();

}  // namespace heed
