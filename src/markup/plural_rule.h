// The plural forms of a language, as the header of a PO file gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heed {

struct PluralRule {
  int forms = 2;
  int singular_form = 0;  // the form for one thing

  bool operator==(const PluralRule&) const = default;

  // From a value such as "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : 1);". Nothing if there is
  // no number of forms between 1 and 10.
  static std::optional<PluralRule> parse(std::string_view value);
};

// What an expression of C with the one variable n gives; nothing if it is none.
std::optional<int64_t> evaluate_plural(std::string_view expression, int64_t n);

}  // namespace heed
