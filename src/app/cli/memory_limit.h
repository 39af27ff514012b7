// What the program does about a limit on its memory (ulimit -v).
#pragma once

namespace heed {

// For main. The system's allocator reserves 64 MB for each thread. Where it may not, it tries again
// at every allocation: SentencePiece took half a minute to find out that memory was short. So where
// there is a limit, all threads share what there is.
void share_limited_memory();

}  // namespace heed
