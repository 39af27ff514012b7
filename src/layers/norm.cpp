#include "heed/layers/norm.h"

namespace heed {

namespace {

std::variant<LayerNorm, RmsNorm> make_norm(int64_t width, NormKind kind, double epsilon) {
  switch (kind) {
    case NormKind::layer:
      return LayerNorm(width, epsilon);
    case NormKind::rms:
      return RmsNorm(width, epsilon);
  }
  __builtin_unreachable();
}

}  // namespace

Norm::Norm(int64_t width, NormKind kind, double epsilon) : norm_(make_norm(width, kind, epsilon)) {}

}  // namespace heed
