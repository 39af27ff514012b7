#include "heed/app/cli/serve_signals.h"

#include <unistd.h>

namespace heed {

namespace {

// The one handler that stays: nothing is half written, so there is nothing to remove.
void end_at_once(int signal) { ::_exit(128 + signal); }

}  // namespace

ServeSignals::ServeSignals() {
  ::sigemptyset(&watched_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&watched_, signal);
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  // A client that goes away while it is being written to is no reason to end.
  ::signal(SIGPIPE, SIG_IGN);
}

ServeSignals::~ServeSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<ServeSignal> ServeSignals::next(int seconds) {
  const timespec time = {.tv_sec = seconds, .tv_nsec = 0};
  const int signal =
      seconds > 0 ? ::sigtimedwait(&watched_, nullptr, &time) : ::sigwaitinfo(&watched_, nullptr);
  if (signal < 0) return std::nullopt;
  if (signal == SIGHUP) return ServeSignal::reload;
  for (const int other : {SIGTERM, SIGINT}) ::signal(other, end_at_once);
  ::pthread_sigmask(SIG_UNBLOCK, &watched_, nullptr);
  return ServeSignal::end;
}

}  // namespace heed
