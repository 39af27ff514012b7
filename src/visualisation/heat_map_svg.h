// Heat maps as SVG.
#pragma once

#include <string>

#include "heed/visualisation/heat_map.h"

namespace heed {

struct SvgStyle {
  int64_t max_cells_per_side = 256;  // larger maps are averaged
  int64_t max_cells = 65536;         // of all maps together, so that a viewer stays quick
  int max_maps = 64;
  std::string query_axis = "Queries";
  std::string key_axis = "Keys";
};

// A whole SVG document: the maps in a grid, queries down and keys to the right, with one colour
// bar. Pointing at a cell shows its weight. A line below the maps says where cells are means or
// maps are left out.
std::string draw_as_svg(const HeatMapFigure& figure, const SvgStyle& style = {});

}  // namespace heed
