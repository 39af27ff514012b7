#include "heed/weights/marian_shortlist.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "heed/base/error.h"

namespace heed {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

constexpr uint64_t magic = 0xF11A48D5013417F5;

struct Header {
  uint64_t magic = 0, checksum = 0, frequent = 0, best = 0, offsets = 0, targets = 0;
};

// Over all whole words of 8 bytes that follow the checksum.
uint64_t checksum_of(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    sum ^= word + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  return sum;
}

template <typename Number>
std::vector<Number> numbers_in(std::span<const std::byte> bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

}  // namespace

MarianShortlist parse_marian_shortlist(std::span<const std::byte> bytes, const std::string& file) {
  Header header;
  require(bytes.size() >= sizeof(header), "{}: {} bytes are too few for a shortlist", file,
          bytes.size());
  std::memcpy(&header, bytes.data(), sizeof(header));
  require(header.magic == magic, "{}: is not a binary shortlist of Marian", file);
  const std::span<const std::byte> lists = bytes.subspan(sizeof(header));
  const bool fits =
      header.offsets >= 1 && header.offsets <= lists.size() / sizeof(uint64_t) &&
      header.targets <= lists.size() / sizeof(uint32_t) &&
      header.offsets * sizeof(uint64_t) + header.targets * sizeof(uint32_t) == lists.size();
  require(fits, "{}: {} offsets and {} candidates do not fit {} bytes", file, header.offsets,
          header.targets, bytes.size());
  const uint64_t sum = checksum_of(bytes.subspan(2 * sizeof(uint64_t)));
  require(sum == header.checksum, "{}: damaged: the checksum is {:016x} but {:016x} was expected",
          file, sum, header.checksum);
  const size_t offset_bytes = static_cast<size_t>(header.offsets) * sizeof(uint64_t);
  MarianShortlist found{.frequent = header.frequent,
                        .offsets = numbers_in<uint64_t>(lists.first(offset_bytes)),
                        .targets = numbers_in<uint32_t>(lists.subspan(offset_bytes))};
  require(std::ranges::is_sorted(found.offsets) && found.offsets.front() == 0 &&
              found.offsets.back() == header.targets,
          "{}: the offsets do not go from 0 to the {} candidates", file, header.targets);
  return found;
}

}  // namespace heed
