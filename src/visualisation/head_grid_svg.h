// All heads of an attention as one SVG: one map large and labelled, every other one small.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "heed/visualisation/heat_map.h"
#include "heed/visualisation/heat_map_svg.h"

namespace heed {

struct HeadGrid {
  HeatMapFigure large;            // the map that is drawn large
  int64_t layers = 0, heads = 0;  // of the small ones
  // (queries, keys), finite, of one head; layers and heads are counted from 1.
  std::function<Tensor(int64_t layer, int64_t head)> weights;
  std::function<std::string(int64_t layer, int64_t head)> name;  // shown when pointed at
  int64_t layer = 1, head = 1;                                   // which of them is drawn large
};

// A whole document. The small maps stand in a row for each layer, below the large one. Each is
// coloured from 0 to its own largest weight, so that weak heads are seen as well. Long texts are
// averaged.
std::string draw_head_grid(const HeadGrid& grid, const SvgStyle& style = {});

}  // namespace heed
