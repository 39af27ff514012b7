#include "heed/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed {

void check(const ScheduleConfig& config) {
  require(std::isfinite(config.learning_rate) && config.learning_rate > 0,
          "schedule: a learning rate of {} but a positive number was expected",
          config.learning_rate);
  require(config.warm_up >= 0, "schedule: a warm-up of {} steps but at least 0 was expected",
          config.warm_up);
  const bool ends = config.kind == ScheduleKind::cosine || config.kind == ScheduleKind::linear;
  require(!ends || config.steps > 0, "schedule: decay to zero needs a number of steps");
  require(!ends || config.steps > config.warm_up,
          "schedule: the learning rate reaches zero at step {}, but the warm-up takes {} steps",
          config.steps, config.warm_up);
}

double learning_rate(const ScheduleConfig& config, int64_t step) {
  const double now = static_cast<double>(step), warm_up = static_cast<double>(config.warm_up);
  if (step <= config.warm_up) return config.learning_rate * now / warm_up;
  const auto part_done = [&] {
    return std::min(1.0, (now - warm_up) / (static_cast<double>(config.steps) - warm_up));
  };
  switch (config.kind) {
    case ScheduleKind::inverse_square_root:
      return config.learning_rate * std::sqrt(std::max(1.0, warm_up) / now);
    case ScheduleKind::cosine:
      return config.learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * part_done()));
    case ScheduleKind::linear:
      return config.learning_rate * (1.0 - part_done());
    case ScheduleKind::constant:
      return config.learning_rate;
  }
  __builtin_unreachable();
}

}  // namespace heed
