// Learning curves as SVG.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct CurvePoint {
  double x = 0;
  double y = 0;
};

struct Curve {
  std::string name;
  std::vector<CurvePoint> points;  // from left to right; those that are not finite are left out
};

// One chart: curves that share a scale.
struct CurveChart {
  std::string title;
  std::vector<Curve> curves;
  bool logarithmic = false;  // the vertical scale; points that are not positive are left out
};

// A whole SVG document: the charts that have points, two per row, over the training steps.
std::string draw_curves(const std::string& title, const std::vector<CurveChart>& charts);

}  // namespace heed
