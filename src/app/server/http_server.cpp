#include "heed/server/http_server.h"

#include <sys/socket.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <future>
#include <thread>
#include <vector>

#include "heed/base/error.h"
#include "heed/server/http_connection.h"

namespace heed {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::chrono::milliseconds pause_after_refusal{100};
constexpr size_t most_refusals = 64;  // connections beyond the limit that are told so

tcp::acceptor listening_socket(asio::io_context& context, const HttpSettings& settings) {
  tcp::acceptor acceptor(context);
  boost::system::error_code error;
  if (settings.listening >= 0) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    ::getsockname(settings.listening, reinterpret_cast<sockaddr*>(&address), &size);
    require(address.ss_family == AF_INET || address.ss_family == AF_INET6, ErrorKind::usage,
            "serve: the socket that was handed over is not one of TCP");
    acceptor.assign(address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), settings.listening,
                    error);
    require(!error, ErrorKind::system, "serve: the socket that was handed over: {}",
            error.message());
    return acceptor;
  }
  const std::string place = fmt::format("{}:{}", settings.host, settings.port);
  const asio::ip::address address = asio::ip::make_address(settings.host, error);
  require(!error, ErrorKind::usage,
          "serve: {} is not an address such as 127.0.0.1 or ::", settings.host);
  const tcp::endpoint endpoint(address, settings.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  require(!error, ErrorKind::system, "serve: cannot listen on {}: {}", place, error.message());
  return acceptor;
}

}  // namespace

class HttpServer::Engine {
 public:
  Engine(HttpSettings settings, HttpHandler handler)
      : shared_(std::make_shared<SharedByConnections>(std::move(settings), std::move(handler))),
        context_(shared_->settings.threads),
        runs_(asio::make_work_guard(context_)),
        strand_(asio::make_strand(context_)),
        acceptor_(listening_socket(context_, shared_->settings)),
        pause_(strand_) {
    acceptor_.non_blocking(true);
    host_ = acceptor_.local_endpoint().address().to_string();
    port_ = acceptor_.local_endpoint().port();
    asio::post(strand_, [this] { accept(); });
    for (int i = 0; i < std::max(1, shared_->settings.threads); ++i)
      threads_.emplace_back([this] { context_.run(); });
  }

  // Requests that are being answered are given up; their handlers may still run until then. It may
  // end the program: without the memory to tell the threads to end, nothing else is left to do.
  ~Engine() {  // NOLINT(bugprone-exception-escape)
    close_acceptor([] {}, [&] { shared_->registry.abort(); });
    shared_->registry.wait_until_empty();
    context_.stop();
    for (std::thread& thread : threads_) thread.join();
  }

  const std::string& host() const { return host_; }
  uint16_t port() const { return port_; }
  size_t connections() const { return shared_->registry.size(); }

  void drain() {
    close_acceptor([&] { accept_what_waits(); }, [&] { shared_->registry.drain(); });
    shared_->registry.wait_until_empty();
  }

 private:
  // And does something right before and after that.
  template <typename Before, typename After>
  void close_acceptor(Before before, After after) {
    std::promise<void> closed;
    asio::post(strand_, [&] {
      before();
      boost::system::error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
      after();
      // After what may have been accepted in the meantime.
      asio::post(strand_, [&] { closed.set_value(); });
    });
    closed.get_future().wait();
  }

  void accept() {
    acceptor_.async_accept(asio::make_strand(context_),
                           asio::bind_executor(strand_, [this](boost::system::error_code error,
                                                               ConnectionSocket socket) {
                             if (!error) take(std::move(socket));
                             if (!acceptor_.is_open()) return;
                             error ? pause() : accept();
                           }));
  }

  // The system has no descriptors left, or the like: that passes.
  void pause() {
    pause_.expires_after(pause_after_refusal);
    pause_.async_wait([this](boost::system::error_code) {
      if (acceptor_.is_open()) accept();
    });
  }

  void accept_what_waits() {
    while (acceptor_.is_open()) {
      boost::system::error_code error;
      ConnectionSocket socket(asio::make_strand(context_));
      acceptor_.accept(socket, error);
      if (error) return;
      take(std::move(socket));
    }
  }

  void take(ConnectionSocket socket) {
    const size_t most = shared_->settings.limits.connections;
    const size_t now = shared_->registry.size();
    if (now >= most + most_refusals) return;
    start_connection(shared_, std::move(socket), now >= most);
  }

  std::shared_ptr<SharedByConnections> shared_;
  asio::io_context context_;
  // The threads run until the end, although nothing may be left to do after draining.
  asio::executor_work_guard<asio::io_context::executor_type> runs_;
  asio::strand<asio::io_context::executor_type> strand_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::string host_;
  uint16_t port_ = 0;
  std::vector<std::thread> threads_;
};

HttpServer::HttpServer(HttpSettings settings, HttpHandler handler)
    : engine_(std::make_unique<Engine>(std::move(settings), std::move(handler))) {}
HttpServer::~HttpServer() = default;

const std::string& HttpServer::host() const { return engine_->host(); }
uint16_t HttpServer::port() const { return engine_->port(); }
size_t HttpServer::connections() const { return engine_->connections(); }
void HttpServer::drain() { engine_->drain(); }

}  // namespace heed
