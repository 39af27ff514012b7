#include "heed/app/cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <initializer_list>

#include "heed/base/files.h"

namespace heed {

namespace {

volatile sig_atomic_t interrupts_wait = 0;
volatile sig_atomic_t waiting_signal = 0;

// Shells expect exit code 128 + signal from a program that a signal ended.
[[noreturn]] void end_for(int signal) {
  remove_own_partial_files();
  ::_exit(128 + signal);
}

void handle(int signal) {
  const bool first = waiting_signal == 0;
  waiting_signal = signal;
  if (interrupts_wait == 0 || !first) end_for(signal);
}

// Nobody reads what is written, so there is nothing to wait for.
void handle_at_once(int signal) { end_for(signal); }

void install(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

// As nohup does for SIGHUP.
bool is_ignored(int signal) {
  struct sigaction action = {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void install_interrupt_handler() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) install(signal, handle);
  if (!is_ignored(SIGHUP)) install(SIGHUP, handle);
  if (!is_ignored(SIGPIPE)) install(SIGPIPE, handle_at_once);
  // Then a file that grows beyond its limit (ulimit -f) is an error like any other.
  install(SIGXFSZ, SIG_IGN);
}

InterruptsWait::InterruptsWait() { interrupts_wait = 1; }

InterruptsWait::~InterruptsWait() {
  interrupts_wait = 0;
  if (waiting_signal != 0) end_for(waiting_signal);
}

InterruptsAsked::InterruptsAsked() { interrupts_wait = 1; }

InterruptsAsked::~InterruptsAsked() { interrupts_wait = 0; }

bool interruption_is_wanted() { return waiting_signal != 0; }

int interruption_code() { return 128 + waiting_signal; }

}  // namespace heed
