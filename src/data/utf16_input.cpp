#include "heed/data/utf16_input.h"

#include <algorithm>
#include <cstdint>
#include <optional>
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
  Utf16Input(BufferedInput input, bool big_endian)
      : input_(std::move(input)), big_endian_(big_endian) {}

  bool is_ready() override { return given_ < text_.size() || input_.is_ready(); }

  size_t read(std::span<char> buffer) override {
    if (given_ == text_.size()) refill();
    const size_t count = std::min(text_.size() - given_, buffer.size());
    std::copy_n(text_.begin() + static_cast<ptrdiff_t>(given_), count, buffer.begin());
    given_ += count;
    return count;
  }

 private:
  char32_t unit_at(std::string_view bytes, size_t offset) const {
    const auto first = static_cast<uint8_t>(bytes[offset]),
               second = static_cast<uint8_t>(bytes[offset + 1]);
    return big_endian_ ? char32_t{first} << 8 | second : char32_t{second} << 8 | first;
  }

  // Reads a character from the input, which has at least one byte; nothing if it is broken.
  std::optional<char32_t> take_character() {
    std::string_view bytes = input_.peek(2);
    const bool is_whole = bytes.size() >= 2;
    const char32_t unit = is_whole ? unit_at(bytes, 0) : 0;
    input_.skip(is_whole ? 2 : 1);
    if (!is_whole || (unit >= 0xDC00 && unit < 0xE000)) return std::nullopt;
    if (unit < 0xD800 || unit >= 0xE000) return unit;
    bytes = input_.peek(2);
    const char32_t low = bytes.size() >= 2 ? unit_at(bytes, 0) : 0;
    if (low < 0xDC00 || low >= 0xE000) return std::nullopt;
    input_.skip(2);
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }

  // At least one character, unless there is none; more while they come without waiting.
  void refill() {
    constexpr char not_utf8 = '\xFF';
    text_.clear();
    given_ = 0;
    do {
      if (input_.peek().empty()) break;
      if (const std::optional<char32_t> character = take_character())
        append_utf8(text_, *character);
      else
        text_ += not_utf8;
    } while (text_.size() < buffer_size && input_.is_ready());
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
