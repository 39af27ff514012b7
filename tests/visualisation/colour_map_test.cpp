#include "heed/visualisation/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

// How bright a colour is to the eye, from 0 to 100 (CIE L*).
double lightness(Colour colour) {
  const auto light = [](uint8_t channel) {
    const double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double luminance =
      0.2126 * light(colour.red) + 0.7152 * light(colour.green) + 0.0722 * light(colour.blue);
  return luminance <= 0.008856 ? 903.3 * luminance : 116 * std::cbrt(luminance) - 16;
}

TEST(ColourMap, LightnessRisesEvenly) {
  const double whole = lightness(colour_at(1)) - lightness(colour_at(0));
  EXPECT_GT(whole, 75);
  for (int step = 0; step < 20; ++step) {
    const double rise = lightness(colour_at((step + 1) / 20.0)) - lightness(colour_at(step / 20.0));
    EXPECT_NEAR(rise, whole / 20, whole / 40) << "step " << step;
  }
}

TEST(ColourMap, EndsAreClamped) {
  EXPECT_EQ(colour_at(-1), colour_at(0));
  EXPECT_EQ(colour_at(2), colour_at(1));
}

TEST(ColourMap, WritesHexadecimal) { EXPECT_EQ(hex_text({1, 171, 255}), "#01abff"); }

TEST(ColourMap, FindsTheNearestOfThePalette) {
  EXPECT_EQ(palette_index({0, 0, 0}), 16);
  EXPECT_EQ(palette_index({255, 255, 255}), 231);
  EXPECT_EQ(palette_index({250, 5, 90}), 16 + 36 * 5 + 1);
}

}  // namespace
}  // namespace heed
