// A request and its reply, without the library that carries them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

struct HttpRequest {
  std::string method;                                       // "GET"
  std::string path;                                         // without the query, decoded
  std::string query;                                        // as it was sent, without "?"
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  std::string body;
  std::string address;  // of the client

  // Empty if it is absent.
  std::string_view header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpReply {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  HttpHeaders headers = {};
};

// What the log and the metrics say about a request. Never a text or a key.
struct RequestNotes {
  std::string route;  // as in the table of routes; empty for none
  std::string key;    // the name of the key
  std::string languages;
  int64_t characters = 0;
  int64_t sentences = 0;
  std::string texts;  // only if they are to be logged
};

// A request that waits for its reply. All of this may be called from any thread. A request that is
// let go of without a reply gets the status 500.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const HttpRequest& request() const = 0;
  virtual RequestNotes& notes() = 0;
  // Wanted when the client has hung up.
  virtual std::stop_token stop() const = 0;

  // Either once reply…
  virtual void reply(HttpReply reply) = 0;
  // … or once begin (the body of which is empty), any number of parts, once finish.
  virtual void begin(HttpReply head) = 0;
  virtual void send(std::string part) = 0;
  virtual void finish() = 0;

  // A client that hangs up when it hears nothing for a while: until the reply is there, it gets a
  // space now and then, which means nothing in JSON. From the first one on, the status is 200; a
  // reply with another one closes the connection.
  virtual void keep_awake() = 0;
};

using HttpHandler = std::function<void(std::shared_ptr<Exchange>)>;

// A request that is over, for logs and metrics.
struct ServedRequest {
  const HttpRequest& request;
  const RequestNotes& notes;
  int status;
  size_t bytes;  // of the body
  std::chrono::nanoseconds time;
};

}  // namespace heed
