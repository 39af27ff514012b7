#include "heed/data/text_check.h"

#include <array>
#include <cstdint>
#include <utility>

#include "heed/base/text.h"

namespace heed {

namespace {

using namespace std::string_view_literals;

constexpr auto signatures = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"\x89PNG\r\n"sv, "a PNG picture"},
    {"\xFF\xD8\xFF"sv, "a JPEG picture"},
    {"GIF87a"sv, "a GIF picture"},
    {"GIF89a"sv, "a GIF picture"},
    {"%PDF-"sv, "a PDF document"},
    {"PK\x03\x04"sv, "a ZIP archive or an office document"},
    {"\xFD\x37zXZ\0"sv, "an xz archive"},
    {"BZh"sv, "a bzip2 archive"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive"},
    {"Rar!\x1A\x07"sv, "a RAR archive"},
    {"\xD0\xCF\x11\xE0\xA1\xB1"sv, "an old office document"},
    {"\x7F\x45LF"sv, "a program (ELF)"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\xFF\xFE\0\0"sv, "text in UTF-32"},
    {"\0\0\xFE\xFF"sv, "text in UTF-32"},
});

bool is_foreign_to_text(std::optional<char32_t> character) {
  if (!character) return true;
  const bool is_space = *character >= '\t' && *character <= '\r';
  return (*character < 0x20 && !is_space) || *character == 0x7F;
}

// Counts bytes that are not UTF-8, and control characters.
size_t foreign_bytes(std::string_view sample) {
  size_t count = 0;
  // The sample may end inside a character, which has at most four bytes.
  while (sample.size() >= 4) count += is_foreign_to_text(take_character(sample)) ? 1 : 0;
  return count;
}

// UTF-16 and UTF-32 of most languages that are written with the Latin alphabet.
std::optional<std::string_view> wide_text(std::string_view sample) {
  std::array<size_t, 4> nuls = {};  // by their position among four bytes
  for (size_t i = 0; i < sample.size(); ++i) nuls[i % 4] += sample[i] == 0 ? 1 : 0;
  const size_t most = sample.size() / 4 * 9 / 10, few = sample.size() / 40;
  const auto is_mostly_nul = [&](size_t place) { return nuls[place] >= most; };
  if (is_mostly_nul(1) && is_mostly_nul(2) && nuls[0] <= few) return "text in UTF-32";
  if (is_mostly_nul(1) && is_mostly_nul(2) && nuls[3] <= few) return "text in UTF-32";
  const bool little = is_mostly_nul(1) && is_mostly_nul(3) && nuls[0] + nuls[2] <= few;
  const bool big = is_mostly_nul(0) && is_mostly_nul(2) && nuls[1] + nuls[3] <= few;
  if (little || big) return "text in UTF-16 without a byte order mark";
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> what_it_looks_like(std::string_view sample) {
  // In Latin text, at most a tenth of the bytes are not UTF-8, even in a legacy encoding; in a
  // picture, more than a third are not. In a very short text, any share may be broken.
  constexpr size_t smallest_share = 10, fewest = 16;
  sample = sample.substr(0, text_sample_size);
  const size_t foreign = foreign_bytes(sample);
  // Without a foreign byte it is a text about such files.
  if (foreign > 0)
    for (const auto& [signature, kind] : signatures)
      if (sample.starts_with(signature)) return kind;
  if (sample.starts_with("\xFF\xFE") || sample.starts_with("\xFE\xFF")) return std::nullopt;
  if (foreign < fewest || foreign * smallest_share <= sample.size()) return std::nullopt;
  if (const auto kind = wide_text(sample)) return kind;
  return "binary data or text in another encoding";
}

}  // namespace heed
