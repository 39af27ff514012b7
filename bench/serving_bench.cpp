// `heed serve` beside the translator that it is made of, and under loads that are too much.
//
//   serving_bench HEED MODEL TEXT
//
// MODEL translates TEXT, a line each, with beam and threads as they are by default.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <thread>

#include "heed/decoding/translator.h"
#include "http_client.h"
#include "program_process.h"
#include "request_load.h"
#include "temporary_folder.h"

namespace heed::bench {

namespace {

using testing::HttpClient;
using testing::ProgramProcess;
using testing::TemporaryFolder;
using Clock = std::chrono::steady_clock;

constexpr int repetitions = 3;
constexpr int many_clients = 32;
constexpr double load_seconds = 20;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class RunningServer {
 public:
  RunningServer(const std::string& heed, const std::string& model)
      : process_({"serve", "--quiet", "--port", "0", "--model", "en-de=" + model},
                 {.err = folder_.path("log")}, {}, heed) {
    for (std::string log; port_ == 0; log = folder_.text("log")) {
      const size_t at = log.find(mark);
      if (log.find("\nready\n") != log.npos)
        port_ = static_cast<uint16_t>(std::stoi(log.substr(at + mark.size())));
      if (!process_.runs()) throw std::runtime_error("the server ended: " + log);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  uint16_t port() const { return port_; }
  // In KB.
  double memory() const {
    std::ifstream file(fmt::format("/proc/{}/status", process_.id()));
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("VmRSS:")) return std::stod(line.substr(6));
    return 0;
  }

 private:
  const std::string mark = "listening on http://127.0.0.1:";
  TemporaryFolder folder_;
  ProgramProcess process_;
  uint16_t port_ = 0;
};

std::string translation_of(const std::string& text) {
  const nlohmann::json body = {{"q", text}, {"source", "en"}, {"target", "de"}};
  return testing::http_request("POST", "/translate", body.dump(), "application/json");
}

std::vector<std::string> requests_for(const std::vector<std::string>& lines) {
  std::vector<std::string> requests;
  for (const std::string& line : lines) requests.push_back(translation_of(line));
  return requests;
}

// Documents of so many lines.
std::vector<std::string> documents_of(const std::vector<std::string>& lines, size_t size) {
  std::vector<std::string> documents;
  for (size_t begin = 0; begin + size <= lines.size(); begin += size) {
    std::string text;
    for (size_t i = begin; i < begin + size; ++i) text += lines[i] + "\n";
    documents.push_back(translation_of(text));
  }
  return documents;
}

double end_of(const std::vector<Reply>& replies) {
  return std::ranges::max(replies, {}, &Reply::end).end;
}

size_t count(const std::vector<Reply>& replies, int status) {
  return static_cast<size_t>(std::ranges::count(replies, status, &Reply::status));
}

// Returns the best rate of the server, in lines a second.
double compare_throughput(const RunningServer& server, const std::string& heed,
                          const std::string& model, const std::vector<std::string>& lines) {
  const TemporaryFolder folder;
  {
    std::ofstream file(folder.path("text"));
    for (const std::string& line : lines) file << line << '\n';
  }
  const std::vector<std::string> requests = requests_for(lines);
  double served = 1e9, command = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const std::vector<Reply> replies = send_all(server.port(), requests, many_clients);
    if (count(replies, 200) != lines.size()) throw std::runtime_error("a request failed");
    served = std::min(served, end_of(replies));
    const auto begin = Clock::now();
    ProgramProcess translate({"translate", "--model", model}, {.in = folder.path("text")}, {},
                             heed);
    if (translate.wait() != 0) throw std::runtime_error("heed translate failed");
    command = std::min(command, seconds_since(begin));
  }
  fmt::print("  {} lines: heed translate                 {:8.2f} s\n", lines.size(), command);
  fmt::print("  {} lines: {} clients, a line a request   {:8.2f} s  {:.0f} % of the rate\n",
             lines.size(), many_clients, served, 100 * command / served);
  return static_cast<double>(lines.size()) / served;
}

// Seconds that each line takes one after the other: the best of several.
std::vector<double> in_turn(uint16_t port, const std::vector<std::string>& requests) {
  std::vector<double> best(requests.size(), 1e9);
  for (int i = 0; i < repetitions; ++i)
    for (const Reply& reply : send_all(port, requests, 1))
      best[reply.request] = std::min(best[reply.request], reply.latency());
  return best;
}

void compare_latency(const std::vector<double>& served, const Translator& translator,
                     const std::vector<std::string>& lines) {
  std::vector<double> own(lines.size(), 1e9), above;
  for (int i = 0; i < repetitions; ++i)
    for (size_t line = 0; line < lines.size(); ++line) {
      const auto begin = Clock::now();
      translator.translate({&lines[line], 1});
      own[line] = std::min(own[line], seconds_since(begin));
    }
  for (size_t line = 0; line < lines.size(); ++line) above.push_back(served[line] - own[line]);
  fmt::print("  a short line: the translator             {:8.2f} ms (median of {})\n",
             1e3 * quantile(own, 0.5), lines.size());
  fmt::print("  a short line: served                     {:8.2f} ms  {:.2f} ms above\n",
             1e3 * quantile(served, 0.5), 1e3 * quantile(above, 0.5));
}

// A few short lines a second, at random moments: as someone would who has the server for himself.
constexpr Arrivals few = {.per_second = 20, .seconds = load_seconds, .clients = 8};

// Seconds that each line takes without load: the median of several. Those of requests in turn would
// be shorter, since nothing has left the caches when the next one comes.
std::vector<double> unloaded(uint16_t port, const std::vector<std::string>& requests) {
  std::vector<std::vector<double>> times(requests.size());
  for (const Reply& reply : send_at_random(port, requests, few)) {
    if (reply.status != 200) throw std::runtime_error("a request failed");
    times[reply.request].push_back(reply.latency());
  }
  std::vector<double> medians;
  for (std::vector<double>& of_line : times) medians.push_back(quantile(of_line, 0.5));
  return medians;
}

// How many times as long short lines take as without load: the 99th percentile.
double show_slowdown(const char* what, const std::vector<Reply>& replies,
                     const std::vector<double>& alone) {
  std::vector<double> times;
  for (const Reply& reply : replies)
    if (reply.status == 200) times.push_back(reply.latency() / alone[reply.request]);
  fmt::print("  {:<40} median {:.2f}, p99 {:.2f} times ({} of {} answered)\n", what,
             quantile(times, 0.5), quantile(times, 0.99), times.size(), replies.size());
  return quantile(times, 0.99);
}

// 70 % of the peak: a fifth of it short lines, the rest documents.
void load_steadily(uint16_t port, const std::vector<std::string>& lines,
                   const std::vector<std::string>& shorts, const std::vector<double>& alone,
                   double peak) {
  constexpr size_t document_lines = 100;
  constexpr double load = 0.7, of_shorts = 0.2;
  std::vector<Reply> replies;
  {
    const std::jthread documents([&] {
      send_at_random(port, documents_of(lines, document_lines),
                     {.per_second = peak * load * (1 - of_shorts) / document_lines,
                      .seconds = load_seconds,
                      .clients = 64,
                      .seed = 2});
    });
    replies = send_at_random(
        port, shorts,
        {.per_second = peak * load * of_shorts, .seconds = load_seconds, .clients = 256});
  }
  show_slowdown("at 70 % of the peak with documents:", replies, alone);
}

void overload(uint16_t port, const std::vector<std::string>& requests, double peak) {
  const std::vector<Reply> replies = send_at_random(
      port, requests, {.per_second = 4 * peak, .seconds = load_seconds, .clients = 512});
  const double good = static_cast<double>(count(replies, 200)) / end_of(replies);
  std::vector<double> refusals;
  for (const Reply& reply : replies)
    if (reply.status == 503) refusals.push_back(reply.end - reply.sent);
  fmt::print("  4 times the peak: answered               {:8.0f} % of the peak\n",
             100 * good / peak);
  fmt::print("  4 times the peak: {} refused, p99 {:.1f} ms, most {:.1f} ms\n", refusals.size(),
             1e3 * quantile(refusals, 0.99), 1e3 * quantile(refusals, 1));
}

// Connections that send a byte a second and never come to an end.
class SlowClients {
 public:
  SlowClients(uint16_t port, size_t count)
      : clients_(count), thread_([this, port](auto stop) {
          const std::string head = translation_of("slow").substr(0, seconds_each);
          for (size_t second = 0; !stop.stop_requested(); ++second) {
            for (auto& client : clients_) {
              if (second % seconds_each == 0) client = std::make_unique<HttpClient>(port);
              client->send(head.substr(second % seconds_each, 1));
            }
            std::this_thread::sleep_for(std::chrono::seconds(1));
          }
        }) {}

 private:
  static constexpr size_t seconds_each = 8;  // the server's patience with a header is 10

  std::vector<std::unique_ptr<HttpClient>> clients_;
  std::jthread thread_;
};

void crowd(const RunningServer& server, const std::vector<std::string>& shorts,
           const std::vector<double>& alone) {
  constexpr size_t idle = 10'000, slow = 1'000;
  const double normal =
      show_slowdown("20 short lines a second:", send_at_random(server.port(), shorts, few), alone);
  const double before = server.memory();
  std::vector<std::unique_ptr<HttpClient>> waiting;
  for (size_t i = 0; i < idle; ++i) {
    waiting.push_back(std::make_unique<HttpClient>(server.port()));
    if (!waiting.back()->connected()) throw std::runtime_error("a connection was refused");
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  fmt::print("  {} idle connections: memory of each   {:8.2f} KB\n", idle,
             (server.memory() - before) / idle);
  const SlowClients dripping(server.port(), slow);
  const double crowded = show_slowdown(
      "the same among them and 1000 slow ones:", send_at_random(server.port(), shorts, few), alone);
  fmt::print("  p99 among them                           {:8.2f} times as long\n",
             crowded / normal);
}

void allow_many_descriptors() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void run(const std::string& heed, const std::string& model, const std::string& text) {
  allow_many_descriptors();
  std::vector<std::string> lines, short_lines;
  std::ifstream file(text);
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
    if (std::ranges::count(line, ' ') < 8 && short_lines.size() < 100) short_lines.push_back(line);
  }
  if (short_lines.empty()) throw std::runtime_error(text + ": no line of at most 8 words");
  const RunningServer server(heed, model);
  const std::vector<std::string> shorts = requests_for(short_lines);
  fmt::print("Serving (best of {} where there is nothing else)\n", repetitions);
  const double peak = compare_throughput(server, heed, model, lines);
  compare_latency(in_turn(server.port(), shorts), Translator::load(model, {.threads = 2}),
                  short_lines);
  const std::vector<double> alone = unloaded(server.port(), shorts);
  load_steadily(server.port(), lines, shorts, alone, peak);
  overload(server.port(), requests_for(lines), peak);
  crowd(server, shorts, alone);
}

}  // namespace

}  // namespace heed::bench

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(stderr, "serving_bench HEED MODEL TEXT\n");
    return 2;
  }
  try {
    heed::bench::run(arguments[1], arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "serving_bench: {}\n", error.what());
    return 1;
  }
}
