#include "heed/data/character_table.h"

#include <cstdint>
#include <cstring>

#include "heed/base/error.h"

namespace heed {

namespace {

// The table is a trie as a double array (Aoe, 1989; this layout is that of Darts-clone): from the
// unit at place p the byte b leads to the place p ^ offset(p) ^ b, where a unit with the label b
// stands if there is such a path.
uint32_t unit_at(std::string_view units, uint64_t place) {
  uint32_t unit = 0;
  std::memcpy(&unit, units.data() + place * sizeof(unit), sizeof(unit));
  return unit;
}

bool is_value(uint32_t unit) { return (unit >> 31) != 0; }
uint32_t value_of(uint32_t unit) { return unit & 0x7FFFFFFF; }
bool has_value(uint32_t unit) { return ((unit >> 8) & 1) != 0; }
uint64_t offset_of(uint32_t unit) { return uint64_t{unit >> 10} << ((unit & (1u << 9)) >> 6); }

}  // namespace

void check_character_table(std::string_view table, std::string_view name) {
  // How many bytes the trie has; the trie; replacements, each ended by a NUL, that the trie's
  // values point into.
  uint32_t size = 0;
  const bool has_size = table.size() > sizeof(size);
  if (has_size) std::memcpy(&size, table.data(), sizeof(size));
  const bool has_parts =
      has_size && size > 0 && size % sizeof(uint32_t) == 0 && size < table.size() - sizeof(size);
  require(has_parts && table.back() == '\0', "{}: the table of characters is damaged", name);
  const std::string_view units = table.substr(sizeof(size), size);
  const uint64_t replacements = table.size() - sizeof(size) - size;
  const uint64_t count = size / sizeof(uint32_t);
  for (uint64_t place = 0; place < count; ++place) {
    const uint32_t unit = unit_at(units, place);
    if (is_value(unit)) continue;
    const uint64_t target = place ^ offset_of(unit);
    constexpr uint64_t any_byte = 0xFF;
    require((target | any_byte) < count, "{}: the table of characters leads beyond its end", name);
    require(!has_value(unit) || value_of(unit_at(units, target)) < replacements,
            "{}: the table of characters has a replacement beyond its end", name);
  }
}

}  // namespace heed
