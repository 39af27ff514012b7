// What must hold for very long: the same results, and no more memory, descriptors or threads.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <string>

namespace heed::testing {

// From any thread.
class Checks {
 public:
  void check(bool holds, const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++(holds ? passed_ : failed_);
    if (!holds && failed_ <= most_told) std::cout << "FAILED: " << what << std::endl;
  }
  // Each round must give what the first gave.
  void same(const std::string& what, const std::string& found) {
    std::unique_lock lock(mutex_);
    const auto [first, is_new] = first_.emplace(what, found);
    const bool holds = !found.empty() && first->second == found;
    lock.unlock();
    check(holds, what + " differs from the first round's");
  }
  int64_t passed() const { return passed_; }
  int64_t failed() const { return failed_; }

 private:
  static constexpr int64_t most_told = 20;

  std::mutex mutex_;
  std::map<std::string, std::string> first_;
  int64_t passed_ = 0, failed_ = 0;
};

// What the system says about a process.
struct Footprint {
  int64_t bytes = 0, descriptors = 0, threads = 0;
};

inline Footprint footprint(pid_t process = ::getpid()) {
  const std::string folder = fmt::format("/proc/{}/", process);
  const auto entries_in = [&](const char* name) {
    return std::distance(std::filesystem::directory_iterator(folder + name), {});
  };
  int64_t pages = 0, resident = 0;
  std::ifstream(folder + "statm") >> pages >> resident;
  return {resident * ::sysconf(_SC_PAGESIZE), entries_in("fd"), entries_in("task")};
}

inline double seconds_wanted() {
  const char* wanted = std::getenv("SOAK_SECONDS");
  return wanted != nullptr ? std::atof(wanted) : 3600;
}

// Runs rounds for SOAK_SECONDS (an hour) and says what became of them; returns the exit code. The
// first quarter of the time is for warming up: the memory that the allocator keeps between rounds
// settles only after dozens of them. Later it comes and goes, sometimes for dozens of rounds (of
// the 7 MB that a server with small models has, half a megabyte), which is no growth: of as many
// rounds as are a quarter of the warming, the one with the least memory counts.
inline int endure(Checks& checks, const std::function<void(int round)>& run,
                  const std::function<Footprint()>& measure) {
  std::deque<int64_t> recent;  // bytes
  Footprint warm, last;
  const double wanted = seconds_wanted(), warming = wanted / 4;
  const auto start = std::chrono::steady_clock::now();
  int rounds = 0, warm_rounds = 0;
  for (double seconds = 0; seconds < wanted || rounds < 2 * warm_rounds + 2; ++rounds) {
    run(rounds);
    last = measure();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds < warming || rounds < 3) {
      warm = {std::max(warm.bytes, last.bytes), last.descriptors, last.threads};
      warm_rounds = rounds + 1;
      continue;
    }
    const size_t some_rounds = std::max(10, warm_rounds / 4);
    recent.push_back(last.bytes);
    if (recent.size() > some_rounds) recent.pop_front();
    const int64_t least = *std::ranges::min_element(recent);
    checks.check(recent.size() < some_rounds || least <= warm.bytes + warm.bytes / 100,
                 fmt::format("round {}: {} bytes of memory, {} when it was warm", rounds, least,
                             warm.bytes));
    checks.check(last.descriptors == warm.descriptors,
                 fmt::format("round {}: {} descriptors, {} when it was warm", rounds,
                             last.descriptors, warm.descriptors));
    checks.check(last.threads == warm.threads,
                 fmt::format("round {}: {} threads, {} when it was warm", rounds, last.threads,
                             warm.threads));
  }
  std::cout << fmt::format(
      "{} rounds, {} of them to warm up: {} kB of memory when warm, {} kB at the end, {} "
      "descriptors, {} threads\n{} passed, {} failed\n",
      rounds, warm_rounds, warm.bytes >> 10, last.bytes >> 10, last.descriptors, last.threads,
      checks.passed(), checks.failed());
  return checks.failed() == 0 ? 0 : 1;
}

}  // namespace heed::testing
