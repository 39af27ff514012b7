#include "heed/data/pair_reader.h"

namespace heed {

std::string_view text_of(Drop reason) {
  switch (reason) {
    case Drop::invalid_utf8:
      return "not UTF-8";
    case Drop::nul_character:
      return "NUL character";
    case Drop::empty_side:
      return "empty side";
    case Drop::too_long:
      return "too long";
    case Drop::fuzzy:
      return "fuzzy translation";
    case Drop::missing_column:
      return "only one column";
    case Drop::missing_language:
      return "language missing";
    case Drop::credits:
      return "translator credits";
    case Drop::invalid_reference:
      return "invalid character reference";
    case Drop::duplicate_key:
      return "key given twice";
    case Drop::number_out_of_range:
      return "number out of range";
  }
  __builtin_unreachable();
}

std::string_view name_of(Drop reason) {
  switch (reason) {
    case Drop::invalid_utf8:
      return "invalid_utf8";
    case Drop::nul_character:
      return "nul_character";
    case Drop::empty_side:
      return "empty_side";
    case Drop::too_long:
      return "too_long";
    case Drop::fuzzy:
      return "fuzzy";
    case Drop::missing_column:
      return "missing_column";
    case Drop::missing_language:
      return "missing_language";
    case Drop::credits:
      return "credits";
    case Drop::invalid_reference:
      return "invalid_reference";
    case Drop::duplicate_key:
      return "duplicate_key";
    case Drop::number_out_of_range:
      return "number_out_of_range";
  }
  __builtin_unreachable();
}

}  // namespace heed
