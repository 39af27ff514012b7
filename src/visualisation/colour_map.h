// Colours for numbers from 0 to 1: from dark violet through blue and green to yellow.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

struct Colour {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  bool operator==(const Colour&) const = default;
};

// Equal steps of `unit` (clamped to [0, 1]) look equal, even to the colour-blind and in greyscale,
// because perceived lightness grows linearly.
Colour colour_at(double unit);

std::string hex_text(Colour colour);  // "#2a0f45"

// The nearest colour of a terminal's palette of 256.
int palette_index(Colour colour);

}  // namespace heed
