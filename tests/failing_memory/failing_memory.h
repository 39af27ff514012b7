// Memory that the system refuses to give, at a moment of the test's choice.
#pragma once

#include <cstdint>

namespace heed::testing {

enum class Refusal { once, from_then_on };

// While it lives, requests for memory are counted, from 1 on, and one of them is refused, or that
// one and all that follow. Requests are those of malloc and its kin, of operator new, of mmap and,
// for its stack, of a new thread. Under a sanitizer, which must keep its malloc, they are those of
// operator new and of heed's own aligned_alloc and mmap. One at a time.
//
// Two libraries are given what they ask for, because a failure leaves them broken:
// - SentencePiece: the protocol buffers that are built into it touch memory that they never got,
//   and what its threads throw, nobody can catch;
// - GCC 12's std::filesystem::path where a name is added to one that ends with "/": it frees what
//   it never got.
class FailingMemory {
 public:
  FailingMemory(int64_t at, Refusal refusal);
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
  ~FailingMemory();

  static int64_t requests();  // that were counted last, also after its end
};

// Pieces of memory that somebody has, as far as they are counted: not under a sanitizer, which
// finds what was lost itself. 0 there.
int64_t pieces_held();

}  // namespace heed::testing
