// Ctrl-C: the program ends at once with 130, except while it writes a file. Then it first finishes the file,
// so that not even one under a temporary name is left behind.
#pragma once

namespace heed {

// For main, once.
void install_interrupt_handler();

// While it lives, an interruption waits; its end lets a waiting one happen.
class InterruptsWait {
 public:
  InterruptsWait();
  ~InterruptsWait();
  InterruptsWait(const InterruptsWait&) = delete;
  InterruptsWait& operator=(const InterruptsWait&) = delete;
};

}  // namespace heed
