// Makes MO files to test with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heed::testing {

inline std::string mo_file(const std::vector<std::pair<std::string, std::string>>& messages,
                           bool swapped = false) {
  std::string bytes;
  const auto put = [&](uint64_t number) {
    const auto word =
        swapped ? __builtin_bswap32(static_cast<uint32_t>(number)) : static_cast<uint32_t>(number);
    bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
  };
  const uint64_t header = 28, table = 8 * messages.size();
  for (const uint64_t number : {uint64_t{0x950412de}, uint64_t{0}, uint64_t{messages.size()},
                                header, header + table, uint64_t{0}, uint64_t{0}})
    put(number);
  std::string strings;
  const auto put_place = [&](const std::string& string) {
    put(string.size());
    put(header + 2 * table + strings.size());
    strings += string + '\0';
  };
  for (const auto& [original, translation] : messages) put_place(original);
  for (const auto& [original, translation] : messages) put_place(translation);
  return bytes + strings;
}

}  // namespace heed::testing
