// The program `heed serve`: signals, sockets, crashes, and nginx in front of two of them.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "serving_process.h"
#include "small_model.h"

namespace heed {
namespace {

using testing::http_request;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::ProgramProcess;
using testing::ServingProcess;
using namespace std::chrono_literals;

uint16_t free_port() {
  const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(taken, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  socklen_t size = sizeof(address);
  ::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(taken);
  return ntohs(address.sin_port);
}

std::string nginx_settings(uint16_t one, uint16_t two, uint16_t front) {
  return fmt::format(R"(daemon off;
pid nginx.pid;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy;
  fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  upstream heed {{
    least_conn;
    server 127.0.0.1:{} max_fails=1 fail_timeout=2s;
    server 127.0.0.1:{} max_fails=1 fail_timeout=2s;
    keepalive 32;
  }}
  server {{
    listen 127.0.0.1:{};
    location / {{
      proxy_pass http://heed;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream error timeout http_503 non_idempotent;
      proxy_next_upstream_tries 2;
    }}
  }}
}}
)",
                     one, two, front);
}

class ServingTest : public ::testing::Test {
 protected:
  ServingTest() { put_pair(5); }

  // It never learnt to end a sentence; the trained lengths keep it short.
  void put_pair(uint64_t seed) const {
    const ModelConfig config = testing::small_config();
    Rng rng(seed);
    const std::unique_ptr<Model> model = make_model(config, rng);
    std::filesystem::create_directories(folder_.path("en-de"));
    save_model_description(folder_.path("en-de"), config, testing::small_vocabulary(),
                           testing::small_vocabulary(), {60, 20, 2});
    save_weights(folder_.path("en-de"), parameters_of(*model));
  }

  std::vector<std::string> model_flags(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--model", folder_.path("en-de")});
    return more;
  }
  // Lines, as JSON writes them.
  static std::string many_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("ba ko ri {}\\n", i);
    return text;
  }
  static std::string question(const std::string& text = "ba ko") {
    return http_request("POST", "/translate",
                        R"({"q":")" + text + R"(","source":"en","target":"de"})",
                        "application/json");
  }
  static HttpAnswer ask(uint16_t port, const std::string& request) {
    HttpClient client(port);
    client.send(request);
    return client.receive();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ServingTest, ServesUntilItIsToldToEnd) {
  ServingProcess server(folder_, "server", model_flags());
  const uint16_t port = server.port();
  ASSERT_NE(port, 0) << server.log();
  EXPECT_EQ(ask(port, question()).status, 200);
  EXPECT_NE(server.wait_for("\"route\":\"/translate\""), "");
  // What it has begun, it ends.
  HttpClient waiting(port);
  waiting.send(question(many_lines(200)));
  EXPECT_EQ(ask(port, http_request("GET", "/live")).status, 200);
  server.signal(SIGTERM);
  EXPECT_EQ(waiting.receive().status, 200);
  waiting.hang_up();
  EXPECT_EQ(server.process().wait(), 0);
  EXPECT_FALSE(HttpClient(port).connected());
}

TEST_F(ServingTest, ASecondSignalEndsItAtOnce) {
  ServingProcess server(folder_, "server", model_flags({"--receive-time", "600"}));
  const uint16_t port = server.port();
  ASSERT_NE(port, 0) << server.log();
  HttpClient slow(port);
  slow.send("GET / HTTP/1.1\r\n");
  EXPECT_EQ(ask(port, http_request("GET", "/live")).status, 200);
  server.signal(SIGTERM);
  while (HttpClient(port).connected()) std::this_thread::sleep_for(2ms);
  EXPECT_TRUE(server.process().runs());
  EXPECT_EQ(server.process().kill(SIGTERM), 128 + SIGTERM);
}

TEST_F(ServingTest, TakesInANewModelOnSighupOrBySight) {
  for (const bool watches : {false, true}) {
    put_pair(5);
    std::vector<std::string> flags = {"--quiet"};
    if (watches) flags.emplace_back("--watch-models");
    ServingProcess server(folder_, watches ? "watching" : "hearing", model_flags(flags));
    const uint16_t port = server.port();
    ASSERT_NE(port, 0) << server.log();
    const std::string before = ask(port, question()).body;
    put_pair(99);
    if (!watches) server.signal(SIGHUP);
    EXPECT_NE(server.wait_for("the models are up to date"), "");
    EXPECT_NE(ask(port, question()).body, before);
    EXPECT_EQ(server.process().kill(SIGTERM), 0);
  }
}

TEST_F(ServingTest, IsThereAgainAfterACrash) {
  auto first = std::make_unique<ServingProcess>(folder_, "first", model_flags());
  const uint16_t port = first->port();
  ASSERT_NE(port, 0) << first->log();
  const std::string before = ask(port, question()).body;
  HttpClient open(port);
  open.send(question(many_lines(1000)));
  EXPECT_EQ(first->process().kill(SIGKILL), 128 + SIGKILL);
  ServingProcess second(folder_, "second", model_flags(), port);
  ASSERT_EQ(second.port(), port) << second.log();
  EXPECT_EQ(ask(port, question()).body, before);
}

TEST_F(ServingTest, TakesASocketThatIsHandedOver) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(listening, 16), 0);
  socklen_t size = sizeof(address);
  ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string model = folder_.path("en-de");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(listening, 3);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDERR_FILENO);
    ::execl(testing::heed_program, "heed", "serve", "--model", model.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(listening);
  // The socket listens before the program runs, so nothing is refused.
  HttpAnswer answer;
  do {
    answer = ask(ntohs(address.sin_port), question());
  } while (answer.status == 503);
  EXPECT_EQ(answer.status, 200);
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(ServingTest, SaysWhyItCannotServe) {
  std::filesystem::rename(folder_.path("en-de"), folder_.path("model"));
  ServingProcess nameless(folder_, "nameless", {"--model", folder_.path("model")});
  EXPECT_EQ(nameless.process().wait(), 1);
  EXPECT_NE(nameless.log().find("name them, as in --model en-de="), std::string::npos);
  ServingProcess missing(folder_, "missing", {"--model", folder_.path("en-de")});
  EXPECT_EQ(missing.process().wait(), 1);
  EXPECT_NE(missing.log().find("en-de"), std::string::npos);
}

// nginx in front of two servers, with the settings of examples/serving/nginx.conf.
TEST_F(ServingTest, BehindNginxNoRequestIsLostWhenAServerIsKilled) {
  if (std::system("command -v nginx > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no nginx";
  auto first = std::make_unique<ServingProcess>(folder_, "first", model_flags({"--quiet"}));
  ServingProcess second(folder_, "second", model_flags({"--quiet"}));
  const uint16_t one = first->port(), two = second.port();
  ASSERT_TRUE(one != 0 && two != 0) << first->log() << second.log();
  const uint16_t front = free_port();
  folder_.put("nginx.conf", nginx_settings(one, two, front));
  ProgramProcess nginx({"-p", folder_.path(""), "-c", folder_.path("nginx.conf"), "-e",
                        folder_.path("nginx_error.log")},
                       {.err = folder_.path("nginx.log")}, {}, "nginx");
  while (!HttpClient(front).connected() && nginx.runs()) std::this_thread::sleep_for(2ms);
  ASSERT_TRUE(nginx.runs()) << folder_.text("nginx.log");
  const std::string expected = ask(one, question()).body;
  std::atomic<int> asked = 0, right = 0;
  std::atomic<bool> ends = false;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      while (!ends) {
        HttpClient client(front);
        client.send(question());
        ++asked;
        if (client.receive().body == expected) ++right;
      }
    });
  while (asked < 50) std::this_thread::sleep_for(1ms);
  first->process().kill(SIGKILL);
  const int then = asked;
  while (asked < then + 50) std::this_thread::sleep_for(1ms);
  ends = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, asked);
  nginx.kill(SIGTERM);
}

}  // namespace
}  // namespace heed
