// Requests that many clients send to a server, each over a connection of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::bench {

struct Reply {
  size_t request = 0;  // its place among the requests
  int status = 0;      // 0 if there was none
  double begin = 0;    // seconds since the load began: when it was due, and
  double end = 0;      // when the reply was there
  double sent = 0;     // when a client was free to send it
  double latency() const { return end - begin; }
};

// Each client sends the next request as soon as it has its reply.
std::vector<Reply> send_all(uint16_t port, const std::vector<std::string>& requests, int clients);

// Requests are due at random moments, `per_second` on the mean, for some seconds, whatever becomes
// of those before them; the list is begun again when it ends. `clients` bounds how many can be
// under way at once.
struct Arrivals {
  double per_second = 1;
  double seconds = 1;
  int clients = 1;
  uint64_t seed = 1;
};
std::vector<Reply> send_at_random(uint16_t port, const std::vector<std::string>& requests,
                                  const Arrivals& arrivals);

// Of values; 0.99 for what all but one of a hundred stay under.
double quantile(std::vector<double> values, double share);

}  // namespace heed::bench
