#include "heed/visualisation/colour_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace heed {

namespace {

// A colour by lightness, chroma and hue in Oklab, Björn Ottosson's model of colour vision.
struct Perceived {
  double lightness;
  double chroma;
  double hue;  // degrees
};

// The lightness rises evenly; chroma and hue are chosen to stay within what a screen can show.
constexpr std::array<Perceived, 7> points = {{
    {0.240, 0.095, 305},
    {0.355, 0.125, 282},
    {0.470, 0.115, 250},
    {0.585, 0.100, 205},
    {0.700, 0.130, 160},
    {0.815, 0.170, 128},
    {0.930, 0.180, 104},
}};

Perceived interpolate(double unit) {
  const double position = std::clamp(unit, 0.0, 1.0) * (points.size() - 1);
  const size_t index = std::min(static_cast<size_t>(position), points.size() - 2);
  const double share = position - static_cast<double>(index);
  const auto between = [&](double Perceived::*part) {
    return std::lerp(points[index].*part, points[index + 1].*part, share);
  };
  return {between(&Perceived::lightness), between(&Perceived::chroma), between(&Perceived::hue)};
}

// Linear light to the stored value of an sRGB channel.
uint8_t encode(double light) {
  const double clamped = std::clamp(light, 0.0, 1.0);
  const double encoded =
      clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * encoded));
}

// From Oklab to sRGB, with the model's published matrices.
Colour to_srgb(const Perceived& colour) {
  const double angle = colour.hue * std::numbers::pi / 180;
  const double a = colour.chroma * std::cos(angle);
  const double b = colour.chroma * std::sin(angle);
  const auto cubed = [](double x) { return x * x * x; };
  const double l = cubed(colour.lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cubed(colour.lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cubed(colour.lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Colour colour_at(double unit) { return to_srgb(interpolate(unit)); }

std::string hex_text(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

int palette_index(Colour colour) {
  // 16 + 36 red + 6 green + blue, with six levels per channel that are not evenly spaced.
  constexpr std::array<int, 6> levels = {0, 95, 135, 175, 215, 255};
  const auto nearest = [&](int channel) {
    const auto distance = [channel](int level) { return std::abs(level - channel); };
    return static_cast<int>(std::ranges::min_element(levels, {}, distance) - levels.begin());
  };
  return 16 + 36 * nearest(colour.red) + 6 * nearest(colour.green) + nearest(colour.blue);
}

}  // namespace heed
