#include "heed/data/character_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "error_of.h"

namespace heed {
namespace {

// 256 units, of which only the first ones are given, and the replacements.
std::string table_of(std::vector<uint32_t> units,
                     const std::string& replacements = std::string(4, '\0')) {
  units.resize(256);
  const auto size = static_cast<uint32_t>(units.size() * sizeof(uint32_t));
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) +
         std::string(reinterpret_cast<const char*>(units.data()), size) + replacements;
}

std::string sentence(const std::string& table) {
  return testing::error_of([&] { check_character_table(table, "m"); });
}

constexpr uint32_t leads_to_a_value = 1u << 8;
constexpr uint32_t value_bit = 1u << 31;

TEST(CharacterTable, ASoundOneIsAccepted) {
  EXPECT_EQ(sentence(table_of({})), "(nothing was thrown)");
  // From unit 0 the offset 1 leads to unit 1, which is the value 3.
  EXPECT_EQ(sentence(table_of({(1u << 10) | leads_to_a_value, value_bit | 3})),
            "(nothing was thrown)");
}

TEST(CharacterTable, NothingLeadsBeyondTheEnd) {
  EXPECT_EQ(sentence(table_of({256u << 10})), "m: the table of characters leads beyond its end");
  EXPECT_EQ(sentence(table_of({0x7FFFFFFF})), "m: the table of characters leads beyond its end");
  EXPECT_EQ(sentence(table_of({(1u << 10) | leads_to_a_value, value_bit | 4})),
            "m: the table of characters has a replacement beyond its end");
}

TEST(CharacterTable, ADamagedOneIsRefused) {
  const std::string damaged = "m: the table of characters is damaged";
  const std::string whole = table_of({});
  for (const size_t size : {size_t{0}, size_t{3}, size_t{4}, size_t{5}, size_t{1027}, size_t{1028}})
    EXPECT_EQ(sentence(whole.substr(0, size)), damaged) << size;
  EXPECT_EQ(sentence(table_of({}, "no NUL at the end")), damaged);
  EXPECT_EQ(sentence(std::string(2000, '\0')), damaged);
}

}  // namespace
}  // namespace heed
