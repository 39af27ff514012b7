#include "heed/server/usage_limits.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed {

namespace {

constexpr size_t most_accounts = 100'000;

int month_of(UsageLimits::Clock::time_point time) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return static_cast<int>(day.year()) * 12 + static_cast<int>(static_cast<unsigned>(day.month()));
}

}  // namespace

UsageLimits::UsageLimits(std::function<Clock::time_point()> now) : now_(std::move(now)) {}

UsageLimits::Account& UsageLimits::account(const std::string& client) {
  const Clock::time_point now = now_();
  if (accounts_.size() >= most_accounts && !accounts_.contains(client)) {
    // Of many addresses that asked once, those that have been quiet for an hour go first.
    std::erase_if(accounts_, [&](const auto& entry) {
      return now - entry.second.seen > std::chrono::hours(1);
    });
    if (accounts_.size() >= most_accounts) accounts_.erase(accounts_.begin());
  }
  const auto [place, is_new] = accounts_.try_emplace(client);
  Account& account = place->second;
  if (is_new) account.tokens = -1;  // full, whatever the rate is
  if (account.month != month_of(now)) account.characters = 0;
  account.month = month_of(now);
  account.seen = now;
  return account;
}

std::optional<std::chrono::seconds> UsageLimits::ask(const std::string& client,
                                                     const AllowedUse& allowed) {
  if (!allowed.rate) return std::nullopt;
  const std::lock_guard lock(mutex_);
  Account& own = account(client);
  const Clock::time_point now = now_();
  const auto rate = static_cast<double>(*allowed.rate);
  const double passed = std::chrono::duration<double>(now - own.last).count();
  own.tokens =
      own.tokens < 0 ? rate : std::min(rate, own.tokens + std::max(0.0, passed) * rate / 60);
  own.last = now;
  if (own.tokens >= 1) {
    own.tokens -= 1;
    return std::nullopt;
  }
  if (rate <= 0) return std::chrono::seconds(3600);
  return std::chrono::seconds(static_cast<int64_t>(std::ceil((1 - own.tokens) * 60 / rate)));
}

bool UsageLimits::use(const std::string& client, const AllowedUse& allowed, int64_t characters) {
  const std::lock_guard lock(mutex_);
  Account& own = account(client);
  if (allowed.quota && own.characters + characters > *allowed.quota) return false;
  own.characters += characters;
  return true;
}

int64_t UsageLimits::used(const std::string& client) const {
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(client);
  return found == accounts_.end() || found->second.month != month_of(now_())
             ? 0
             : found->second.characters;
}

std::chrono::seconds UsageLimits::until_next_month() const {
  const Clock::time_point now = now_();
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(now));
  const std::chrono::sys_days next{(day.year() / day.month() + std::chrono::months(1)) / 1};
  return std::chrono::ceil<std::chrono::seconds>(next - now);
}

}  // namespace heed
