// Ctrl-C, a closed terminal, a reader that has gone, the end of a job's time (SIGUSR1, as
// schedulers of clusters send it): the program removes its unfinished files and exits at once with
// 128 + signal. While it is renaming finished files, it completes that first.
#pragma once

namespace heed {

// For main, once.
void install_interrupt_handler();

// While it lives, interrupts wait; when it ends, a waiting one takes effect.
class InterruptsWait {
 public:
  InterruptsWait();
  ~InterruptsWait();
  InterruptsWait(const InterruptsWait&) = delete;
  InterruptsWait& operator=(const InterruptsWait&) = delete;
};

// While it lives, the first interrupt is only recorded, for a job that polls and then ends cleanly.
// A second one ends the program at once.
class InterruptsAsked {
 public:
  InterruptsAsked();
  ~InterruptsAsked();
  InterruptsAsked(const InterruptsAsked&) = delete;
  InterruptsAsked& operator=(const InterruptsAsked&) = delete;
};

bool interruption_is_wanted();
// 128 + the recorded signal, as shells expect.
int interruption_code();

}  // namespace heed
