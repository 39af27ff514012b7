// Asks `heed serve` for SOAK_SECONDS (an hour), through all of its APIs and by several clients at
// once, some of whom are rude: what is asked again is answered as the first time, and after a while
// the server needs no more memory, descriptors or threads.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "../serving/serving_process.h"
#include "endurance.h"
#include "heed/base/random.h"
#include "sample_text.h"
#include "small_model.h"

namespace heed {
namespace {

using namespace heed::testing;
using Json = nlohmann::json;

constexpr int clients = 8;
constexpr uint64_t requests_each = 40;  // in a round

std::string post(const std::string& target, const Json& body) {
  return http_request("POST", target, body.dump(), "application/json");
}

// What a well-behaved client asks.
std::string request_of(uint64_t kind, const std::string& text) {
  const Json pair = {{"source", "en"}, {"target", "de"}};
  const auto with = [&](Json more) {
    more.update(pair);
    return more;
  };
  switch (kind) {
    case 0:
      return post("/translate", with({{"q", text}}));
    case 1:
      return post("/translate", with({{"q", "<p>" + text + " <b>ba</b></p>"}, {"format", "html"}}));
    case 2:
      return post("/v1/translate", with({{"text", text}, {"nbest", 3}, {"details", {"words"}}}));
    case 3:
      return post("/v1/translate", with({{"text", text}, {"without", {"cross:1:1"}}}));
    case 4:
      return post("/v1/attention", with({{"text", text}}));
    case 5:
      return http_request("POST", "/v2/translate",
                          "text=" + text + "&target_lang=DE&source_lang=EN",
                          "application/x-www-form-urlencoded");
    case 6:
      return post("/translate", {{"q", text}, {"source", "en"}, {"target", "xx"}});
    default:
      return http_request("GET", "/languages");
  }
}

// Hangs up in the middle of a request, of a reply, or after nonsense.
void be_rude(uint16_t port, uint64_t kind, const std::string& text) {
  HttpClient client(port);
  const std::string request = request_of(2, text);
  if (kind == 0)
    client.send(request.substr(0, request.size() / 2));
  else if (kind == 1)
    client.send(request);
  else
    client.send("POST /translate HTTP/1.1\r\nContent-Length: -1\r\n\r\n{[");
}

class Client {
 public:
  Client(uint16_t port, int number, Checks& checks)
      : port_(port),
        rng_(derive_key(make_key(3), static_cast<uint64_t>(number))),
        checks_(checks) {}

  void run() {
    HttpClient client(port_);
    for (uint64_t i = 0; i < requests_each; ++i) {
      const std::string text = made_up_sentence(rng_.below(20));
      const uint64_t kind = rng_.below(11);
      if (kind > 7) {
        be_rude(port_, kind - 8, text);
        continue;
      }
      checks_.check(client.send(request_of(kind, text)), "the connection was closed");
      const HttpAnswer answer = client.receive();
      checks_.same(fmt::format("the reply to {} about {}", kind, text),
                   fmt::format("{} {}", answer.status, answer.body));
    }
  }

 private:
  uint16_t port_;
  Rng rng_;
  Checks& checks_;
};

// Connections that the clients have closed are gone a little later.
Footprint footprint_at_rest(pid_t process, int64_t descriptors) {
  constexpr int tries = 100;
  Footprint found = footprint(process);
  for (int i = 0; i < tries && found.descriptors != descriptors; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    found = footprint(process);
  }
  return found;
}

int soak() {
  const TemporaryFolder folder;
  put_model(folder.path("en-de"), 5, small_config(), short_lengths);
  put_model(folder.path("de-en"), 6, small_config(), short_lengths);
  ServingProcess server(folder, "server",
                        {"--quiet", "--model", folder.path("en-de"), "--model",
                         folder.path("de-en"), "--threads", "2"});
  const uint16_t port = server.port();
  const Footprint at_rest = footprint(server.process().id());
  Checks checks;
  const int code = endure(
      checks,
      [&](int round) {
        if (round % 10 == 9) server.signal(SIGHUP);
        std::vector<std::jthread> threads;
        for (int i = 0; i < clients; ++i)
          threads.emplace_back([&, i] { Client(port, round * clients + i, checks).run(); });
      },
      [&] { return footprint_at_rest(server.process().id(), at_rest.descriptors); });
  return server.process().kill(SIGTERM) == 0 ? code : 1;
}

}  // namespace
}  // namespace heed

int main() { return heed::soak(); }
