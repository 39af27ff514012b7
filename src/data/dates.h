// Written dates in several languages and in ISO 8601: a generated corpus, small enough to learn in
// a minute and rich enough to need attention.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"

namespace heed {

using Date = std::chrono::year_month_day;

// "1979-05-03". Years have four digits: 0 to 9999.
std::string iso_date(const Date& date);
std::optional<Date> parse_iso_date(std::string_view text);  // nothing if it is not a date

// The same date in every language and style: "May 3rd, 1979", "le jeudi 3 mai 1979", ...
std::vector<std::string> ways_to_write(const Date& date);

// A date is used either for training or for tests, in every spelling.
enum class DateUse { training, test };
DateUse use_of(const Date& date);

struct DatePair {
  std::string written;
  std::string iso;
};

// A random date for that use between 1900 and 2099, in a random language and style.
DatePair random_date(Rng& rng, DateUse use);

}  // namespace heed
