// Tables of positions in the folders of other tools, which often hold plain sinusoids.
#pragma once

#include <cmath>
#include <optional>
#include <span>

#include "heed/attention/positions.h"

namespace heed {

// The wave lengths of the sinusoids that all these tables (positions, width) hold, sines first;
// nothing if one of them holds other numbers.
inline std::optional<SinusoidSpacing> spacing_of(std::span<const Tensor> tables) {
  constexpr double rounding = 1e-3;  // float16 is off by up to 2^-12
  for (const SinusoidSpacing spacing : {SinusoidSpacing::paper, SinusoidSpacing::tensor2tensor}) {
    bool same = true;
    for (const Tensor& table : tables) {
      const int64_t positions = table.shape()[0], width = table.shape()[1];
      same = same && (spacing == SinusoidSpacing::paper || (width >= 4 && width % 2 == 0));
      if (!same) break;
      const Tensor ours = sinusoidal_positions(positions, width, SinusoidOrder::sines_first,
                                               Type::float32, 0, spacing);
      for (int64_t i = 0; same && i < ours.elements(); ++i)
        same = std::abs(ours[i] - table[i]) <= rounding;
    }
    if (same) return spacing;
  }
  return std::nullopt;
}

}  // namespace heed
