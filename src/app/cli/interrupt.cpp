#include "heed/app/cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <initializer_list>

namespace heed {

namespace {

volatile sig_atomic_t interrupts_wait = 0;
volatile sig_atomic_t waiting_signal = 0;

// A shell expects 128 and the signal's number from a program that a signal ended.
void handle(int signal) {
  const bool first = waiting_signal == 0;
  waiting_signal = signal;
  if (interrupts_wait == 0 || !first) ::_exit(128 + signal);
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

InterruptsWait::InterruptsWait() { interrupts_wait = 1; }

InterruptsWait::~InterruptsWait() {
  interrupts_wait = 0;
  if (waiting_signal != 0) ::_exit(128 + waiting_signal);
}

InterruptsAsked::InterruptsAsked() { interrupts_wait = 1; }

InterruptsAsked::~InterruptsAsked() { interrupts_wait = 0; }

bool interruption_is_wanted() { return waiting_signal != 0; }

int interruption_code() { return 128 + waiting_signal; }

}  // namespace heed
