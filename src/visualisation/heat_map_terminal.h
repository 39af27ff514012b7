// Heat maps as text for a terminal.
#pragma once

#include <string>

#include "heed/visualisation/heat_map.h"

namespace heed {

// What a cell is drawn with.
enum class Ink {
  digits,      // "." and 1 to 9: plain ASCII
  shades,      // " ░▒▓█"
  palette,     // background colours of the palette of 256
  truecolour,  // background colours of 24 bits
};

struct TerminalStyle {
  int width = 80;  // columns; at least 48 are used
  Ink ink = Ink::shades;
  int max_rows = 64;  // of one map; larger maps are averaged
  int max_maps = 16;
  std::string query_axis = "Queries";
  std::string key_axis = "Keys";
};

// Lines that each end with a newline and are no wider than the style's width. Queries go down, keys
// to the right. Ends with a legend, and with a note where cells are means or maps are left out.
std::string draw_for_terminal(const HeatMapFigure& figure, const TerminalStyle& style);

}  // namespace heed
