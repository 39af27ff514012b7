// Written dates in several languages, and what they are in ISO 8601: a corpus out of nothing, small
// enough to learn in a minute and rich enough to need attention.
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
std::optional<Date> parse_iso_date(std::string_view text);  // nothing for what is no date

// The same date in every language and style there is: "May 3rd, 1979", "le jeudi 3 mai 1979", ...
std::vector<std::string> ways_to_write(const Date& date);

// A date serves either for training or for tests, whatever way it is written.
enum class DateUse { training, test };
DateUse use_of(const Date& date);

struct DatePair {
  std::string written;
  std::string iso;
};

// A date of that use between 1900 and 2099, in a language and a style of its own.
DatePair random_date(Rng& rng, DateUse use);

}  // namespace heed
