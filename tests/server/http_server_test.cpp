// Connections, limits and the clean end, over raw sockets.
#include "heed/server/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "heed/base/error.h"
#include "heed/server/http_text.h"
#include "http_client.h"

namespace heed {
namespace {

using testing::http_request;
using testing::HttpAnswer;
using testing::HttpClient;
using namespace std::chrono_literals;

// What a handler waits for until a test says so.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// Says back what it was asked. "/later" is answered when the gate opens; who answers "/held" lets
// go of the request a little later.
class HttpServerTest : public ::testing::Test {
 protected:
  ~HttpServerTest() override {
    gate_.open();
    for (std::thread& thread : threads_) thread.join();
  }

  void start(HttpLimits limits = {}) {
    HttpSettings settings;
    settings.port = 0;
    settings.threads = 2;
    settings.limits = limits;
    settings.refusal = [](int status, const std::string& sentence) {
      return HttpReply{status, sentence, "text/plain"};
    };
    server_ = std::make_unique<HttpServer>(
        std::move(settings), [this](std::shared_ptr<Exchange> exchange) { answer(exchange); });
  }

  void answer(const std::shared_ptr<Exchange>& exchange) {
    const HttpRequest& request = exchange->request();
    ++requests_;
    if (request.path == "/forgotten") return;
    if (request.path == "/fails") throw Error("a secret");
    if (request.path == "/stream") {
      exchange->begin({.type = "text/event-stream"});
      exchange->send("one ");
      exchange->send("two");
      return exchange->finish();
    }
    if (request.path == "/held") {
      threads_.emplace_back([exchange] {
        exchange->reply({200, "held", "text/plain"});
        std::this_thread::sleep_for(5ms);
      });
      return;
    }
    if (request.path == "/later" || request.path == "/awake") {
      if (request.path == "/awake") exchange->keep_awake();
      threads_.emplace_back([this, exchange] {
        {
          const std::stop_callback note(exchange->stop(), [this] { stopped_ = true; });
          gate_.wait();
        }
        exchange->reply({200, "late", "text/plain"});
      });
      return;
    }
    exchange->reply({200,
                     request.method + " " + request.path + "?" + request.query + " " +
                         std::string(request.header("x-a")) + " " + request.body,
                     "text/plain"});
  }

  HttpAnswer ask(const std::string& bytes) const {
    HttpClient client(server_->port());
    client.send(bytes);
    return client.receive();
  }

  std::unique_ptr<HttpServer> server_;
  std::atomic<int> requests_ = 0;
  std::atomic<bool> stopped_ = false;
  Gate gate_;
  std::vector<std::thread> threads_;
};

TEST_F(HttpServerTest, SeveralRequestsOverOneConnectionAlsoPipelined) {
  start();
  HttpClient client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.send(
        http_request("POST", "/a%20b?c=%20d", "body", "text/plain", "X-A: 1\r\nX-A: 2\r\n"));
    EXPECT_EQ(client.receive().body, "POST /a b?c=%20d 1, 2 body");
  }
  client.send(http_request("GET", "/1") + http_request("POST", "/2", "x") +
              http_request("GET", "/3"));
  EXPECT_EQ(client.receive().body, "GET /1?  ");
  EXPECT_EQ(client.receive().body, "POST /2?  x");
  EXPECT_EQ(client.receive().body, "GET /3?  ");
}

TEST_F(HttpServerTest, ABodyInChunksAndAnExpectation) {
  start();
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                "2;x=y\r\nab\r\n1\r\nc\r\n0\r\nTrailer: t\r\n\r\n")
                .body,
            "POST /?  abc");
  HttpClient client(server_->port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_TRUE(client.more(20000));
  EXPECT_EQ(client.received(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_EQ(client.receive().body, "POST /?  ok");
}

TEST_F(HttpServerTest, HeadHasNoBodyAndOldClientsAreClosed) {
  start();
  HttpClient client(server_->port());
  client.send(http_request("HEAD", "/"));
  const HttpAnswer head = client.receive(true);
  EXPECT_EQ(head.headers.at("content-length"), "9");
  const std::string& date = head.headers.at("date");
  EXPECT_EQ(date.size(), http_date({}).size()) << date;
  EXPECT_TRUE(date.ends_with(" GMT")) << date;
  EXPECT_EQ(http_date({}), "Thu, 01 Jan 1970 00:00:00 GMT");
  client.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /?  ");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, PartsComeInChunks) {
  start();
  HttpClient client(server_->port());
  client.send(http_request("GET", "/stream"));
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(answer.body, "one two");
  client.send("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "one two");
}

TEST_F(HttpServerTest, AFailureIsOursAndSaysNothing) {
  start();
  EXPECT_EQ(ask(http_request("GET", "/forgotten")).status, 500);
  const HttpAnswer failed = ask(http_request("GET", "/fails"));
  EXPECT_EQ(failed.status, 500);
  EXPECT_EQ(failed.body.find("secret"), std::string::npos);
}

TEST_F(HttpServerTest, LargeHeadersAndBodiesAreRefused) {
  start({.header_bytes = 1000, .body_bytes = 1000});
  EXPECT_EQ(ask(http_request("GET", "/", "", "", "X-A: " + std::string(900, 'a') + "\r\n")).status,
            200);
  EXPECT_EQ(ask(http_request("GET", "/", "", "", "X-A: " + std::string(1000, 'a') + "\r\n")).status,
            431);
  EXPECT_EQ(ask(http_request("GET", "/" + std::string(5000, 'a'))).status, 431);
  EXPECT_EQ(ask(http_request("POST", "/", std::string(1000, 'a'))).status, 200);
  EXPECT_EQ(ask(http_request("POST", "/", std::string(1001, 'a'))).status, 413);
  EXPECT_EQ(
      ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n").status,
      400);
  std::string chunks = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 1001; ++i) chunks += "1\r\na\r\n";
  EXPECT_EQ(ask(chunks).status, 413);
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                std::string(200000, 'x'))
                .status,
            413);
}

TEST_F(HttpServerTest, SlowHeadersAndBodiesAreRefused) {
  start({.header_time = 50ms, .body_time = 50ms});
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost:").status, 408);
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab").status, 408);
  HttpClient dripping(server_->port());
  for (const char c : std::string_view("GET / HTTP/1.1\r\nHost: aaaaaaaaaaaaaaaaaaaaaaaaaaaaa")) {
    if (!dripping.send(std::string(1, c))) break;
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(dripping.receive().status, 408);
}

// A byte that arrives at the very moment when the time is over gives no more time.
TEST_F(HttpServerTest, EveryDrippingClientIsRefused) {
  start({.header_time = 20ms});
  std::vector<std::unique_ptr<HttpClient>> dripping;
  for (int i = 0; i < 200; ++i) dripping.push_back(std::make_unique<HttpClient>(server_->port()));
  for (const auto& client : dripping) client->send("GET / HTTP/1.1\r\nHost: ");
  for (int i = 0; i < 100; ++i)
    for (const auto& client : dripping) client->send("a");
  for (const auto& client : dripping) EXPECT_EQ(client->receive(false, 2000).status, 408);
}

TEST_F(HttpServerTest, AnIdleConnectionIsClosedWithoutAWord) {
  start({.idle_time = 50ms});
  HttpClient silent(server_->port()), quiet(server_->port());
  quiet.send(http_request("GET", "/"));
  EXPECT_EQ(quiet.receive().status, 200);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(quiet.is_closed());
}

TEST_F(HttpServerTest, OneConnectionTooManyLearnsThat) {
  start({.connections = 2});
  HttpClient first(server_->port()), second(server_->port());
  first.send(http_request("GET", "/"));
  second.send(http_request("GET", "/"));
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(second.receive().status, 200);
  HttpClient third(server_->port());
  EXPECT_EQ(third.receive().status, 503);
  first.hang_up();
  third.hang_up();
  for (int i = 0; i < 10'000 && server_->connections() > 1; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(ask(http_request("GET", "/")).status, 200);
}

TEST_F(HttpServerTest, WhatIsNotHttpIsRefused) {
  start();
  for (const char* bytes :
       {"\r\n\r\n\r\nx\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", "GET x HTTP/1.1\r\nHost: a\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n"}) {
    const int status = ask(bytes).status;
    EXPECT_TRUE(status == 400 || status == 505 || status == 413) << status << "\n" << bytes;
  }
  EXPECT_EQ(
      ask("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n").status,
      501);
  EXPECT_EQ(requests_, 0);
  EXPECT_EQ(
      ask("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n").status,
      200);
  EXPECT_EQ(ask("GET http://example.org/x?y HTTP/1.1\r\nHost: a\r\n\r\n").body, "GET /x?y  ");
}

TEST_F(HttpServerTest, AClientThatHangsUpStopsItsRequest) {
  start();
  HttpClient client(server_->port());
  client.send(http_request("GET", "/later"));
  while (requests_ == 0) std::this_thread::sleep_for(1ms);
  client.hang_up();
  for (int i = 0; i < 20000 && !stopped_; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(stopped_);
  gate_.open();
  server_->drain();
}

TEST_F(HttpServerTest, AClientThatWaitsDoesNot) {
  start();
  HttpClient client(server_->port());
  client.send(http_request("GET", "/later") + http_request("GET", "/next"));
  while (requests_ == 0) std::this_thread::sleep_for(1ms);
  gate_.open();
  EXPECT_EQ(client.receive().body, "late");
  EXPECT_EQ(client.receive().body, "GET /next?  ");
  EXPECT_FALSE(stopped_);
}

TEST_F(HttpServerTest, SpacesKeepAClientAwake) {
  start({.awake_time = 10ms});
  HttpClient client(server_->port());
  client.send(http_request("GET", "/awake"));
  while (client.received().find("1\r\n \r\n1\r\n \r\n") == std::string::npos)
    ASSERT_TRUE(client.more(20000));
  gate_.open();
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.substr(answer.body.find_first_not_of(' ')), "late");
  EXPECT_TRUE(answer.complete);
}

TEST_F(HttpServerTest, DrainingAnswersWhatWasAccepted) {
  start();
  HttpClient waiting(server_->port()), idle(server_->port()), half(server_->port());
  waiting.send(http_request("GET", "/later"));
  idle.send(http_request("GET", "/"));
  EXPECT_EQ(idle.receive().status, 200);
  half.send("GET / HTTP/1.1\r\nHo");
  while (requests_ < 2) std::this_thread::sleep_for(1ms);
  std::thread draining([&] { server_->drain(); });
  EXPECT_TRUE(idle.is_closed());
  half.send("st: a\r\n\r\n");
  const HttpAnswer last = half.receive();
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.headers.at("connection"), "close");
  EXPECT_FALSE(HttpClient(server_->port()).connected());
  gate_.open();
  EXPECT_EQ(waiting.receive().body, "late");
  waiting.hang_up();
  half.hang_up();
  idle.hang_up();
  draining.join();
}

// The last to let go of a connection is then a thread that is not the server's.
TEST_F(HttpServerTest, EndsWhileAnotherThreadHoldsAConnection) {
  for (int round = 0; round < 20; ++round) {
    start();
    EXPECT_EQ(ask(http_request("GET", "/held")).body, "held");
    server_ = nullptr;
  }
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  start();
  HttpSettings settings;
  settings.port = server_->port();
  try {
    HttpServer second(settings, {});
    FAIL() << "listens on a port that is taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Address already in use"), std::string::npos);
  }
  settings.host = "nowhere";
  EXPECT_THROW(HttpServer(settings, {}), Error);
}

}  // namespace
}  // namespace heed
