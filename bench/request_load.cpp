#include "request_load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "http_client.h"

namespace heed::bench {

namespace {

using Clock = std::chrono::steady_clock;

// Sends a number of requests, each when it is due.
std::vector<Reply> send_when_due(uint16_t port, const std::vector<std::string>& requests,
                                 const std::vector<double>& due, int clients) {
  const Clock::time_point begin = Clock::now();
  const auto now = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::vector<Reply> replies(due.size());
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&] {
      testing::HttpClient client(port);
      for (size_t at = next++; at < due.size(); at = next++) {
        std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(
                                                  std::chrono::duration<double>(due[at])));
        Reply& reply = replies[at];
        reply.request = at % requests.size();
        reply.sent = now();
        reply.begin = due[at] > 0 ? due[at] : reply.sent;
        if (client.send(requests[reply.request])) reply.status = client.receive().status;
        reply.end = now();
      }
    });
  threads.clear();
  return replies;
}

}  // namespace

std::vector<Reply> send_all(uint16_t port, const std::vector<std::string>& requests, int clients) {
  return send_when_due(port, requests, std::vector<double>(requests.size(), 0), clients);
}

std::vector<Reply> send_at_random(uint16_t port, const std::vector<std::string>& requests,
                                  const Arrivals& arrivals) {
  std::mt19937_64 engine(arrivals.seed);
  std::exponential_distribution<double> pause(arrivals.per_second);
  std::vector<double> due;
  for (double time = pause(engine); time < arrivals.seconds; time += pause(engine))
    due.push_back(time);
  return send_when_due(port, requests, due, arrivals.clients);
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto place =
      std::min(values.size() - 1,
               static_cast<size_t>(std::ceil(share * static_cast<double>(values.size()))));
  std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(place));
  return values[place];
}

}  // namespace heed::bench
