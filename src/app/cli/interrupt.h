// Ctrl-C, a terminal that is closed, a reader that has gone: the program ends at once with 128 and
// the number of the signal, and removes the files that it has not finished. While it gives files
// their names, it first does that.
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

// While it lives, the first interruption is only noted, for a job that asks and then ends in order;
// another one ends the program at once.
class InterruptsAsked {
 public:
  InterruptsAsked();
  ~InterruptsAsked();
  InterruptsAsked(const InterruptsAsked&) = delete;
  InterruptsAsked& operator=(const InterruptsAsked&) = delete;
};

bool interruption_is_wanted();
// 128 and the number of the signal that was noted, as shells expect it.
int interruption_code();

}  // namespace heed
