#include "heed/data/utf16_input.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace heed {

namespace {

constexpr size_t buffer_size = size_t{1} << 16;

void append_utf8(std::string& text, char32_t character) {
  const auto byte = [&](char32_t bits) { text += static_cast<char>(bits); };
  if (character < 0x80) return byte(character);
  if (character < 0x800) {
    byte(0xC0 | (character >> 6));
  } else {
    if (character < 0x10000) {
      byte(0xE0 | (character >> 12));
    } else {
      byte(0xF0 | (character >> 18));
      byte(0x80 | ((character >> 12) & 0x3F));
    }
    byte(0x80 | ((character >> 6) & 0x3F));
  }
  byte(0x80 | (character & 0x3F));
}

class Utf16Input : public ByteInput {
 public:
  Utf16Input(BufferedInput input, bool big_endian) : input_(std::move(input)), big_endian_(big_endian) {}

  size_t read(std::span<char> buffer) override {
    if (given_ == text_.size()) refill();
    const size_t count = std::min(text_.size() - given_, buffer.size());
    std::copy_n(text_.begin() + static_cast<ptrdiff_t>(given_), count, buffer.begin());
    given_ += count;
    return count;
  }

 private:
  static constexpr char32_t replacement = 0xFFFD;

  char32_t unit_at(std::string_view bytes, size_t offset) const {
    const auto first = static_cast<uint8_t>(bytes[offset]), second = static_cast<uint8_t>(bytes[offset + 1]);
    return big_endian_ ? char32_t{first} << 8 | second : char32_t{second} << 8 | first;
  }

  // Takes a character off the input, which has at least a byte.
  char32_t take_character() {
    const std::string_view bytes = input_.peek(4);
    const char32_t unit = bytes.size() >= 2 ? unit_at(bytes, 0) : replacement;
    input_.skip(std::min<size_t>(2, bytes.size()));
    if (unit < 0xD800 || unit >= 0xE000) return unit;
    if (unit >= 0xDC00 || bytes.size() < 4) return replacement;
    const char32_t low = unit_at(bytes, 2);
    if (low < 0xDC00 || low >= 0xE000) return replacement;
    input_.skip(2);
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }

  void refill() {
    text_.clear();
    given_ = 0;
    while (text_.size() < buffer_size && !input_.peek().empty()) append_utf8(text_, take_character());
  }

  BufferedInput input_;
  bool big_endian_;
  std::string text_;
  size_t given_ = 0;
};

}  // namespace

std::unique_ptr<ByteInput> decode_utf16(BufferedInput encoded, bool big_endian) {
  return std::make_unique<Utf16Input>(std::move(encoded), big_endian);
}

}  // namespace heed
