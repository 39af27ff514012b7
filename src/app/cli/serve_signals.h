// The signals of a server that runs until it is told to end.
#pragma once

#include <signal.h>

#include <optional>

namespace heed {

enum class ServeSignal { end, reload };

// While it lives, signals wait to be asked for; threads that begin meanwhile get none. After the
// first one that ends the server, another one ends the program at once.
class ServeSignals {
 public:
  ServeSignals();
  ~ServeSignals();
  ServeSignals(const ServeSignals&) = delete;
  ServeSignals& operator=(const ServeSignals&) = delete;

  // Waits for SIGTERM or SIGINT (end), or SIGHUP (reload): so many seconds, or without end if that
  // is 0. Nothing if none came.
  std::optional<ServeSignal> next(int seconds);

 private:
  sigset_t watched_, before_;
};

}  // namespace heed
