// The norm of a model's blocks, of whichever kind.
#pragma once

#include <string_view>
#include <variant>

#include "heed/layers/layer_norm.h"
#include "heed/layers/rms_norm.h"

namespace heed {

enum class NormKind { layer, rms };

class Norm {
 public:
  explicit Norm(int64_t width, NormKind kind = NormKind::layer, double epsilon = 1e-5);

  Variable operator()(const Variable& x) const {
    return std::visit([&](const auto& norm) { return norm(x); }, norm_);
  }
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
    std::visit([&](auto& norm) { norm.visit_parameters(prefix, visit); }, norm_);
  }

 private:
  std::variant<LayerNorm, RmsNorm> norm_;
};

}  // namespace heed
