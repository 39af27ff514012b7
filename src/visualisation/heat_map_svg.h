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

// What goes into an SVG document, and how large it is in pixels.
struct SvgDrawing {
  std::string body;
  double width = 0, height = 0;
};

// A document on a white ground, with the styles that the drawings here use. It refers to nothing
// else.
std::string svg_document(const SvgDrawing& drawing, const std::string& title);

// The maps as draw_as_svg draws them, to be put into a document.
SvgDrawing draw_maps(const HeatMapFigure& figure, const SvgStyle& style = {});

// A whole SVG document: the maps in a grid, queries down and keys to the right, with one colour
// bar. Pointing at a cell shows its weight. A line below the maps says where cells are means or
// maps are left out.
std::string draw_as_svg(const HeatMapFigure& figure, const SvgStyle& style = {});

}  // namespace heed
