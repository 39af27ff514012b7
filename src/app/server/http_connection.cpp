#include "heed/server/http_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <deque>
#include <optional>

#include "heed/server/http_text.h"

namespace heed {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

// Beyond the header and what a socket gives at once, such as an extension of a chunk without end.
constexpr size_t more_than_header = size_t{64} << 10;
// A reply that ends a connection is read by the client before the connection is gone: what it still
// sends is read and forgotten for so long.
constexpr std::chrono::milliseconds linger_time{2'000};
// A client that has just connected may send its request although the server is about to end.
constexpr std::chrono::milliseconds drain_grace{1'000};
// Between two attempts to cancel what took too long.
constexpr std::chrono::milliseconds try_again{1};

}  // namespace

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(std::shared_ptr<SharedByConnections> shared, ConnectionSocket socket)
      : shared_(std::move(shared)),
        leaving_{shared_->registry, this},
        socket_(std::move(socket)),
        timer_(socket_.get_executor()) {}

  void start(bool is_too_many);
  static void drain_soon(std::shared_ptr<HttpConnection> connection) {
    const auto executor = connection->socket_.get_executor();
    asio::post(executor, [connection = std::move(connection)] { connection->drain(); });
  }
  static void abort_soon(std::shared_ptr<HttpConnection> connection) {
    const auto executor = connection->socket_.get_executor();
    asio::post(executor, [connection = std::move(connection)] { connection->abort(); });
  }

 private:
  class Waiting;
  void drain();
  void abort();
  // What the connection does.
  enum class State { idle, reading, working, ending };

  void wait_for_request();
  void read_header();
  void take_header(error_code error);
  void read_body();
  void take_request(error_code error);
  void hand_over(HttpRequest request);
  void watch_for_hang_up(uint64_t number);
  void refuse(int status, const std::string& sentence);
  void refuse_what_failed(error_code error);

  // What a Waiting wants, on the strand; `number` is that of its request.
  void reply(uint64_t number, HttpReply reply);
  void begin(uint64_t number, const HttpReply& head);
  void send(uint64_t number, std::string part);
  void finish(uint64_t number);
  void keep_awake(uint64_t number);

  std::string head_of(const HttpReply& reply, std::optional<size_t> length) const;
  void queue(std::string bytes);
  void queue_part(std::string part);
  void end_reply();
  void write();
  void after_reply();
  void linger();
  void read_and_forget();
  void close();

  // One timer for whatever is being waited for.
  template <typename Then>
  void after(std::chrono::milliseconds time, Then then) {
    const uint64_t generation = ++timer_generation_;
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this(), generation, then](error_code error) {
      if (!error && generation == self->timer_generation_) then();
    });
  }
  void limit_time(std::chrono::milliseconds time) {
    timed_out_ = false;
    after(time, [this] { stop_in_time(); });
  }
  // A read of several parts may stand between two of them, with nothing to cancel: then it would
  // go on for ever.
  void stop_in_time() {
    timed_out_ = true;
    error_code ignored;
    socket_.cancel(ignored);
    after(try_again, [this] { stop_in_time(); });
  }
  void forget_time() {
    ++timer_generation_;
    timer_.cancel();
  }

  const HttpLimits& limits() const { return shared_->settings.limits; }
  // Of the client.
  std::string address() const {
    error_code ignored;
    return socket_.remote_endpoint(ignored).address().to_string();
  }

  // Without connections, a server ends, and with it what socket and timer belong to. They are
  // destroyed before this is.
  struct Leaving {
    ~Leaving() { registry.remove(connection); }
    ConnectionRegistry& registry;
    HttpConnection* connection;
  };

  std::shared_ptr<SharedByConnections> shared_;
  Leaving leaving_;
  ConnectionSocket socket_;
  asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, ConnectionSocket::executor_type>
      timer_;
  uint64_t timer_generation_ = 0;
  bool timed_out_ = false;
  State state_ = State::idle;

  // Of the request that is being read or answered.
  std::optional<boost::beast::flat_buffer> buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  uint64_t number_ = 0;
  bool http_1_0_ = false;
  bool is_head_ = false;
  bool keeps_alive_ = false;
  bool answered_ = false;  // the reply is complete
  bool begun_ = false;     // in parts
  bool chunked_ = false;
  bool awake_ = false;
  Clock::time_point last_write_;

  std::weak_ptr<Waiting> pending_;  // who is told if the client has gone
  std::deque<std::string> waiting_, writing_;
};

// A request that waits for its reply.
class HttpConnection::Waiting : public Exchange {
 public:
  Waiting(std::shared_ptr<HttpConnection> connection, uint64_t number, HttpRequest request)
      : connection_(std::move(connection)), number_(number), request_(std::move(request)) {}
  ~Waiting() override {
    if (!done_.exchange(true))
      pass_on(shared_refusal(500, "the server failed to answer"), &HttpConnection::reply);
  }

  const HttpRequest& request() const override { return request_; }
  RequestNotes& notes() override { return notes_; }
  std::stop_token stop() const override { return stop_.get_token(); }
  void hang_up() { stop_.request_stop(); }

  void reply(HttpReply reply) override {
    if (done_.exchange(true)) return;
    status_ = reply.status;
    bytes_ = reply.body.size();
    add_headers(reply);
    tell();
    pass_on(std::move(reply), &HttpConnection::reply);
  }
  void begin(HttpReply head) override {
    status_ = head.status;
    add_headers(head);
    pass_on(std::move(head), &HttpConnection::begin);
  }
  void send(std::string part) override {
    bytes_ += part.size();
    pass_on(std::move(part), &HttpConnection::send);
  }
  void finish() override {
    if (done_.exchange(true)) return;
    tell();
    asio::post(connection_->socket_.get_executor(),
               [connection = connection_, number = number_] { connection->finish(number); });
  }
  void keep_awake() override {
    asio::post(connection_->socket_.get_executor(),
               [connection = connection_, number = number_] { connection->keep_awake(number); });
  }

 private:
  void add_headers(HttpReply& reply) const {
    if (const auto& headers = connection_->shared_->settings.headers)
      for (auto& header : headers(request_)) reply.headers.push_back(std::move(header));
  }
  HttpReply shared_refusal(int status, const std::string& sentence) const {
    return connection_->shared_->settings.refusal(status, sentence);
  }
  template <typename Value, typename Then>
  void pass_on(Value value, Then then) {
    asio::post(connection_->socket_.get_executor(),
               [connection = connection_, number = number_, value = std::move(value),
                then]() mutable { ((*connection).*then)(number, std::move(value)); });
  }
  void tell() const {
    if (const auto& served = connection_->shared_->settings.served)
      served({request_, notes_, status_, bytes_, Clock::now() - began_});
  }

  std::shared_ptr<HttpConnection> connection_;
  uint64_t number_;
  HttpRequest request_;
  RequestNotes notes_;
  std::stop_source stop_;
  std::atomic<bool> done_ = false;
  int status_ = 0;
  size_t bytes_ = 0;
  Clock::time_point began_ = Clock::now();
};

void HttpConnection::start(bool is_too_many) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  if (is_too_many) return refuse(503, "the server has too many connections");
  wait_for_request();
}

void HttpConnection::wait_for_request() {
  parser_.reset();
  if (buffer_ && buffer_->size() > 0) return read_header();
  buffer_.reset();  // an idle connection costs little
  state_ = State::idle;
  const bool is_draining = shared_->registry.is_draining();
  if (is_draining && number_ > 0) return linger();
  limit_time(is_draining ? drain_grace : limits().idle_time);
  socket_.async_wait(asio::socket_base::wait_read, [self = shared_from_this()](error_code error) {
    if (self->state_ != State::idle) return;
    if (error) return self->close();
    self->read_header();
  });
}

void HttpConnection::drain() {
  if (state_ != State::idle) return;
  char byte;
  if (::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return;
  if (number_ > 0) {
    forget_time();
    linger();
  } else {
    limit_time(drain_grace);
  }
}

void HttpConnection::abort() {
  if (const auto waiting = pending_.lock()) waiting->hang_up();
  close();
}

void HttpConnection::read_header() {
  state_ = State::reading;
  if (!buffer_) buffer_.emplace(limits().header_bytes + more_than_header);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(limits().header_bytes));
  parser_->body_limit(limits().body_bytes);
  keeps_alive_ = false;
  http_1_0_ = is_head_ = false;
  limit_time(limits().header_time);
  http::async_read_header(
      socket_, *buffer_, *parser_,
      [self = shared_from_this()](error_code error, size_t) { self->take_header(error); });
}

void HttpConnection::take_header(error_code error) {
  if (error) return refuse_what_failed(error);
  const auto& header = parser_->get();
  const std::string_view coding = {header[http::field::transfer_encoding].data(),
                                   header[http::field::transfer_encoding].size()};
  http_1_0_ = header.version() < 11;
  is_head_ = header.method() == http::verb::head;
  if (header.version() != 10 && header.version() != 11)
    return refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  if (!coding.empty() && (http_1_0_ || lower_case(trimmed(coding)) != "chunked"))
    return refuse(501, "the only transfer coding that is understood is chunked");
  if (!http_1_0_ && header.count(http::field::host) != 1)
    return refuse(400, "a request has exactly one Host");
  const auto expected = header[http::field::expect];
  if (!expected.empty() && !parser_->is_done()) {
    if (lower_case({expected.data(), expected.size()}) != "100-continue")
      return refuse(417, "the only expectation that is understood is 100-continue");
    static const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(go_on),
                      [self = shared_from_this()](error_code failed, size_t) {
                        failed ? self->close() : self->read_body();
                      });
    return;
  }
  read_body();
}

void HttpConnection::read_body() {
  limit_time(limits().body_time);
  http::async_read(
      socket_, *buffer_, *parser_,
      [self = shared_from_this()](error_code error, size_t) { self->take_request(error); });
}

void HttpConnection::refuse_what_failed(error_code error) {
  if (timed_out_) return refuse(408, "the request took too long to arrive");
  if (error == http::error::header_limit) return refuse(431, "the header is too large");
  if (error == http::error::buffer_overflow)
    return parser_->is_header_done() ? refuse(413, "the chunks of the body are too large")
                                     : refuse(431, "the header is too large");
  if (error == http::error::body_limit) return refuse(413, "the body is too large");
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != make_error_code(http::error::bad_line_ending).category())
    return close();
  refuse(400, "the request is not HTTP: " + error.message());
}

void HttpConnection::take_request(error_code error) {
  if (error) return refuse_what_failed(error);
  forget_time();
  auto message = parser_->release();
  parser_.reset();
  keeps_alive_ = message.keep_alive();
  HttpRequest request;
  request.method = std::string(message.method_string());
  for (const auto& field : message) {
    std::string name = lower_case({field.name_string().data(), field.name_string().size()});
    std::string& value = request.headers[std::move(name)];
    if (!value.empty()) value += ", ";
    value.append(field.value().data(), field.value().size());
  }
  const auto target = split_target({message.target().data(), message.target().size()});
  if (!target) return refuse(400, "the target of the request is not a path");
  request.path = target->path;
  request.query = target->query;
  request.body = std::move(message.body());
  request.address = address();
  hand_over(std::move(request));
}

void HttpConnection::hand_over(HttpRequest request) {
  state_ = State::working;
  answered_ = begun_ = chunked_ = awake_ = false;
  const uint64_t number = ++number_;
  const auto waiting = std::make_shared<Waiting>(shared_from_this(), number, std::move(request));
  watch_for_hang_up(number);
  pending_ = waiting;
  try {
    shared_->handler(waiting);
  } catch (...) {
    waiting->reply(shared_->settings.refusal(500, "the server failed"));
  }
}

// As long as the client sends nothing more. The end of what it sends counts as its end.
void HttpConnection::watch_for_hang_up(uint64_t number) {
  socket_.async_wait(
      asio::socket_base::wait_read, [self = shared_from_this(), number](error_code error) {
        if (self->state_ != State::working || self->number_ != number || self->answered_) return;
        char byte;
        const ssize_t found =
            error ? 0 : ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (found > 0 || (found < 0 && (errno == EAGAIN || errno == EINTR))) return;
        if (const auto waiting = self->pending_.lock()) waiting->hang_up();
      });
}

void HttpConnection::refuse(int status, const std::string& sentence) {
  forget_time();
  state_ = State::working;
  answered_ = begun_ = chunked_ = awake_ = false;
  keeps_alive_ = false;
  HttpReply reply = shared_->settings.refusal(status, sentence);
  if (const auto& served = shared_->settings.served) {
    HttpRequest unread;
    unread.address = address();
    served({unread, RequestNotes(), status, reply.body.size(), {}});
  }
  this->reply(++number_, std::move(reply));
}

std::string HttpConnection::head_of(const HttpReply& reply, std::optional<size_t> length) const {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", reply.status, reason_of(reply.status),
                  http_date(std::chrono::system_clock::now()));
  const bool has_body = reply.status != 204 && reply.status != 304;
  if (has_body) head += fmt::format("Content-Type: {}\r\n", reply.type);
  if (has_body && length) head += fmt::format("Content-Length: {}\r\n", *length);
  if (has_body && !length && chunked_) head += "Transfer-Encoding: chunked\r\n";
  for (const auto& [name, value] : reply.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (!keeps_alive_)
    head += "Connection: close\r\n";
  else if (http_1_0_)
    head += "Connection: keep-alive\r\n";
  return head + "X-Content-Type-Options: nosniff\r\n\r\n";
}

void HttpConnection::reply(uint64_t number, HttpReply reply) {
  if (number != number_ || answered_) return;
  if (begun_ && awake_ && reply.status == 200) {
    queue_part(std::move(reply.body));
    return end_reply();
  }
  if (begun_) return close();  // too late for another status
  if (shared_->registry.is_draining()) keeps_alive_ = false;
  std::string bytes = head_of(reply, reply.body.size());
  if (!is_head_ && reply.status != 204 && reply.status != 304) bytes += reply.body;
  answered_ = true;
  queue(std::move(bytes));
}

void HttpConnection::begin(uint64_t number, const HttpReply& head) {
  if (number != number_ || answered_ || begun_) return;
  if (shared_->registry.is_draining() || http_1_0_) keeps_alive_ = false;
  begun_ = true;
  chunked_ = !http_1_0_;
  queue(head_of(head, std::nullopt));
}

void HttpConnection::send(uint64_t number, std::string part) {
  if (number == number_ && begun_ && !answered_) queue_part(std::move(part));
}

void HttpConnection::finish(uint64_t number) {
  if (number == number_ && begun_ && !answered_) end_reply();
}

void HttpConnection::keep_awake(uint64_t number) {
  if (number != number_ || answered_) return;
  after(limits().awake_time, [this, number] {
    if (number != number_ || answered_ || state_ != State::working) return;
    if (!begun_) {
      awake_ = true;
      last_write_ = Clock::now();
      begin(number, {});
    }
    if (Clock::now() - last_write_ > limits().write_time) return close();
    queue_part(" ");
    keep_awake(number);
  });
}

void HttpConnection::queue_part(std::string part) {
  if (is_head_ || part.empty()) return;
  if (chunked_) part = fmt::format("{:x}\r\n", part.size()) + part + "\r\n";
  queue(std::move(part));
}

void HttpConnection::end_reply() {
  answered_ = true;
  queue(chunked_ && !is_head_ ? "0\r\n\r\n" : "");
}

void HttpConnection::queue(std::string bytes) {
  waiting_.push_back(std::move(bytes));
  if (writing_.empty()) write();
}

void HttpConnection::write() {
  writing_.swap(waiting_);
  std::vector<asio::const_buffer> buffers;
  for (const std::string& bytes : writing_) buffers.push_back(asio::buffer(bytes));
  if (!awake_ || answered_) limit_time(limits().write_time);
  asio::async_write(socket_, buffers, [self = shared_from_this()](error_code error, size_t) {
    if (error) {
      if (const auto waiting = self->pending_.lock()) waiting->hang_up();
      return self->close();
    }
    self->last_write_ = Clock::now();
    self->writing_.clear();
    if (!self->waiting_.empty()) return self->write();
    if (!self->awake_ || self->answered_) self->forget_time();
    if (self->answered_) self->after_reply();
  });
}

void HttpConnection::after_reply() {
  pending_.reset();
  if (keeps_alive_) return wait_for_request();
  linger();
}

void HttpConnection::linger() {
  state_ = State::ending;
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  buffer_.reset();
  limit_time(linger_time);
  read_and_forget();
}

void HttpConnection::read_and_forget() {
  socket_.async_wait(asio::socket_base::wait_read, [self = shared_from_this()](error_code error) {
    std::array<char, 4096> forgotten;
    const auto more = [&] {
      return ::recv(self->socket_.native_handle(), forgotten.data(), forgotten.size(),
                    MSG_DONTWAIT);
    };
    ssize_t found = 0;
    if (!error)
      for (int i = 0; i < 16 && (found = more()) > 0; ++i) continue;
    if (error || found == 0) return self->close();
    self->read_and_forget();
  });
}

void HttpConnection::close() {
  state_ = State::ending;
  forget_time();
  error_code ignored;
  socket_.close(ignored);
}

void start_connection(std::shared_ptr<SharedByConnections> shared, ConnectionSocket socket,
                      bool is_too_many) {
  ConnectionRegistry& registry = shared->registry;
  const auto executor = socket.get_executor();
  const auto connection = std::make_shared<HttpConnection>(std::move(shared), std::move(socket));
  registry.add(connection.get(), connection);
  asio::post(executor, [connection, is_too_many] { connection->start(is_too_many); });
}

size_t ConnectionRegistry::size() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

bool ConnectionRegistry::is_draining() const {
  const std::lock_guard lock(mutex_);
  return draining_;
}

void ConnectionRegistry::add(HttpConnection* connection, std::weak_ptr<HttpConnection> handle) {
  const std::lock_guard lock(mutex_);
  open_.emplace(connection, std::move(handle));
}

void ConnectionRegistry::remove(HttpConnection* connection) {
  const std::lock_guard lock(mutex_);
  open_.erase(connection);
  if (open_.empty()) emptied_.notify_all();
}

std::vector<std::shared_ptr<HttpConnection>> ConnectionRegistry::all_when_draining() {
  std::vector<std::shared_ptr<HttpConnection>> all;
  const std::lock_guard lock(mutex_);
  draining_ = true;
  for (const auto& [_, handle] : open_)
    if (auto connection = handle.lock()) all.push_back(std::move(connection));
  return all;
}

void ConnectionRegistry::drain() {
  for (auto& connection : all_when_draining()) HttpConnection::drain_soon(std::move(connection));
}

void ConnectionRegistry::abort() {
  for (auto& connection : all_when_draining()) HttpConnection::abort_soon(std::move(connection));
}

void ConnectionRegistry::wait_until_empty() {
  std::unique_lock lock(mutex_);
  emptied_.wait(lock, [&] { return open_.empty(); });
}

}  // namespace heed
