#include "heed/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed {

double learning_rate(const ScheduleConfig& config, int64_t step) {
  require(step >= 1 && config.warm_up >= 0, "schedule: step {} with a warm-up of {}", step, config.warm_up);
  const double now = static_cast<double>(step), warm_up = static_cast<double>(config.warm_up);
  if (step <= config.warm_up) return config.rate * now / warm_up;
  const auto part_done = [&] {
    require(config.steps > config.warm_up, "schedule: a decay over {} steps with a warm-up of {}",
            config.steps, config.warm_up);
    return std::min(1.0, (now - warm_up) / (static_cast<double>(config.steps) - warm_up));
  };
  switch (config.kind) {
    case ScheduleKind::inverse_square_root:
      return config.rate * std::sqrt(std::max(1.0, warm_up) / now);
    case ScheduleKind::cosine:
      return config.rate * 0.5 * (1.0 + std::cos(std::numbers::pi * part_done()));
    case ScheduleKind::linear:
      return config.rate * (1.0 - part_done());
    case ScheduleKind::constant:
      return config.rate;
  }
  __builtin_unreachable();
}

}  // namespace heed
