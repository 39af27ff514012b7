// How often and how much each client may ask.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace heed {

struct AllowedUse {
  std::optional<int64_t> rate = {};   // requests a minute
  std::optional<int64_t> quota = {};  // characters a month
};

// Remembers a limited number of clients: those that have asked last.
class UsageLimits {
 public:
  using Clock = std::chrono::system_clock;
  explicit UsageLimits(std::function<Clock::time_point()> now = Clock::now);

  // Counts a request. How long to wait if it comes too early: a client may ask for a minute's worth
  // at once, and then as fast as the rate says.
  std::optional<std::chrono::seconds> ask(const std::string& client, const AllowedUse& allowed);

  // Counts characters, unless they are more than what is left of this month.
  bool use(const std::string& client, const AllowedUse& allowed, int64_t characters);
  int64_t used(const std::string& client) const;
  // When quotas begin anew; at least a second.
  std::chrono::seconds until_next_month() const;

 private:
  struct Account {
    double tokens = 0;
    Clock::time_point last;  // when they were counted
    Clock::time_point seen;
    int month = 0;
    int64_t characters = 0;
  };
  Account& account(const std::string& client);

  std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Account> accounts_;
};

}  // namespace heed
