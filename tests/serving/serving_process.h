// `heed serve` as a process, on any free port.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "http_client.h"
#include "program_process.h"
#include "temporary_folder.h"

namespace heed::testing {

class ServingProcess {
 public:
  ServingProcess(const TemporaryFolder& folder, const std::string& name,
                 std::vector<std::string> flags, int port = 0)
      : folder_(folder),
        log_(name + ".log"),
        process_(arguments(std::move(flags), port), {.err = folder.path(log_)}) {}

  // Waits until it is ready; 0 if it has ended instead.
  uint16_t port() {
    while (said("\nready\n").empty()) {
      if (!process_.runs()) return 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const std::string log = folder_.text(log_), mark = "listening on http://127.0.0.1:";
    return static_cast<uint16_t>(std::stoi(log.substr(log.find(mark) + mark.size())));
  }

  // Waits until the log has this; what the log has until then, or nothing if the process has ended.
  std::string wait_for(const std::string& text) {
    while (said(text).empty() && process_.runs())
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return said(text);
  }
  std::string log() const { return folder_.text(log_); }
  ProgramProcess& process() { return process_; }
  void signal(int number) { ::kill(process_.id(), number); }

 private:
  static std::vector<std::string> arguments(std::vector<std::string> flags, int port) {
    flags.insert(flags.begin(), {"serve", "--port", std::to_string(port)});
    return flags;
  }
  std::string said(const std::string& text) const {
    std::string log = folder_.text(log_);
    return log.find(text) == log.npos ? "" : log;
  }

  const TemporaryFolder& folder_;
  std::string log_;
  ProgramProcess process_;
};

}  // namespace heed::testing
