// HTTP/1.1 over TCP: connections, limits, and a clean end. What is asked is not its business.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "heed/server/http_message.h"

namespace heed {

struct HttpLimits {
  size_t header_bytes = size_t{16} << 10;
  size_t body_bytes = size_t{1} << 20;
  std::chrono::milliseconds header_time{10'000};  // from its first byte to its last
  std::chrono::milliseconds body_time{10'000};
  std::chrono::milliseconds idle_time{75'000};   // of a connection between two requests
  std::chrono::milliseconds write_time{30'000};  // without progress of a reply
  std::chrono::milliseconds awake_time{2'000};   // see Exchange::keep_awake
  size_t connections = 16384;
};

struct HttpSettings {
  std::string host = "127.0.0.1";
  uint16_t port = 5000;  // 0 for any that is free
  int listening = -1;    // a socket that listens already, instead of host and port
  int threads = 1;
  HttpLimits limits = {};
  // The reply to a request that never reached the handler.
  std::function<HttpReply(int status, const std::string& sentence)> refusal;
  // What every reply to a request has in its header.
  std::function<HttpHeaders(const HttpRequest&)> headers = {};
  std::function<void(const ServedRequest&)> served = {};
};

class HttpServer {
 public:
  // Listens. An Error says why that cannot be.
  HttpServer(HttpSettings settings, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  const std::string& host() const;
  uint16_t port() const;
  size_t connections() const;

  // Accepts nothing more, and returns when every request that was accepted has its reply.
  void drain();

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace heed
