#include "heed/server/metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "heed/base/folder.h"

namespace heed {

namespace {

class MetricText {
 public:
  void name(const char* metric, const char* type, const char* help) {
    fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", metric, help, metric,
                   type);
  }
  template <typename Value>
  void value(const std::string& metric, Value value) {
    fmt::format_to(std::back_inserter(text_), "{} {}\n", metric, value);
  }
  template <typename Value>
  void only(const char* metric, const char* type, const char* help, Value value) {
    name(metric, type, help);
    this->value(metric, value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

double cpu_seconds() {
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

int64_t open_descriptors() {
  std::error_code failed;
  FolderNames names("/proc/self/fd", failed);
  int64_t descriptors = 0;
  while (names.next() != nullptr) ++descriptors;
  return descriptors;
}

// What clients invent must not become labels without end.
std::string method_label(const std::string& method) {
  for (const char* known : {"GET", "POST", "HEAD", "OPTIONS"})
    if (method == known) return known;
  return "other";
}

}  // namespace

Metrics::Metrics()
    : start_time_(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
                      .count()) {}

void Metrics::add(const ServedRequest& served) {
  const double seconds = std::chrono::duration<double>(served.time).count();
  const std::string route = served.notes.route.empty() ? "none" : served.notes.route;
  const std::lock_guard lock(mutex_);
  ++requests_[{route, method_label(served.request.method), served.status}];
  Histogram& histogram = durations_[route];
  size_t bucket = 0;
  while (bucket < latency_buckets.size() && seconds > latency_buckets[bucket]) ++bucket;
  ++histogram.counts[bucket];
  histogram.sum += seconds;
  if (served.notes.languages.empty() || served.status != 200) return;
  auto& [characters, sentences] = translated_[served.notes.languages];
  characters += served.notes.characters;
  sentences += served.notes.sentences;
}

std::string Metrics::text(const Gauges& now) const {
  MetricText text;
  const std::lock_guard lock(mutex_);
  text.name("heed_http_requests_total", "counter", "Requests that have been answered.");
  for (const auto& [labels, count] : requests_) {
    const auto& [route, method, status] = labels;
    text.value(fmt::format(R"(heed_http_requests_total{{route="{}",method="{}",status="{}"}})",
                           route, method, status),
               count);
  }
  text.name("heed_http_request_duration_seconds", "histogram",
            "Time from a complete request to its reply.");
  for (const auto& [route, histogram] : durations_) {
    int64_t total = 0;
    for (size_t i = 0; i < latency_buckets.size(); ++i) {
      total += histogram.counts[i];
      text.value(fmt::format(R"(heed_http_request_duration_seconds_bucket{{route="{}",le="{}"}})",
                             route, latency_buckets[i]),
                 total);
    }
    total += histogram.counts.back();
    text.value(
        fmt::format(R"(heed_http_request_duration_seconds_bucket{{route="{}",le="+Inf"}})", route),
        total);
    text.value(fmt::format(R"(heed_http_request_duration_seconds_sum{{route="{}"}})", route),
               histogram.sum);
    text.value(fmt::format(R"(heed_http_request_duration_seconds_count{{route="{}"}})", route),
               total);
  }
  text.name("heed_translated_characters_total", "counter", "Characters of texts, by languages.");
  for (const auto& [languages, counts] : translated_)
    text.value(fmt::format(R"(heed_translated_characters_total{{languages="{}"}})", languages),
               counts.first);
  text.name("heed_translated_sentences_total", "counter", "Sentences, by languages.");
  for (const auto& [languages, counts] : translated_)
    text.value(fmt::format(R"(heed_translated_sentences_total{{languages="{}"}})", languages),
               counts.second);
  text.only("heed_http_connections", "gauge", "Connections that are open.", now.connections);
  text.only("heed_requests_in_flight", "gauge", "Requests that are being translated.",
            now.in_flight);
  text.only("heed_models", "gauge", "Models that are loaded.", now.models);
  text.only("heed_ready", "gauge", "Whether the server is ready.", now.ready ? 1 : 0);
  text.only("process_start_time_seconds", "gauge", "When the server began.", start_time_);
  text.only("process_cpu_seconds_total", "counter", "Processor time of the server.", cpu_seconds());
  text.only("process_resident_memory_bytes", "gauge", "Memory of the server.", resident_bytes());
  text.only("process_open_fds", "gauge", "Open descriptors of the server.", open_descriptors());
  return std::move(text).text();
}

}  // namespace heed
