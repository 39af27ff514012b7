// What a server has done, for Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "heed/server/http_message.h"

namespace heed {

// Seconds up to which the buckets of a histogram count.
inline constexpr std::array latency_buckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                               0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

struct Gauges {
  int64_t connections = 0;
  int64_t in_flight = 0;
  int64_t models = 0;
  bool ready = false;
};

class Metrics {
 public:
  Metrics();

  void add(const ServedRequest& served);
  // In Prometheus' text format.
  std::string text(const Gauges& now) const;

 private:
  struct Histogram {
    std::array<int64_t, latency_buckets.size() + 1> counts = {};
    double sum = 0;
  };

  double start_time_;
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, int64_t> requests_;  // route, method, status
  std::map<std::string, Histogram> durations_;                             // by route
  std::map<std::string, std::pair<int64_t, int64_t>>
      translated_;  // languages: characters, sentences
};

}  // namespace heed
