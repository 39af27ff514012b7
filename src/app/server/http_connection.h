// One connection of the HTTP server: requests one after the other, each with its time and its size.
// The only header that knows Boost; included by two files.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "heed/server/http_server.h"

namespace heed {

// What a connection does runs on its own strand.
using ConnectionSocket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                     boost::asio::strand<boost::asio::io_context::executor_type>>;

class HttpConnection;

// The connections that are open.
class ConnectionRegistry {
 public:
  size_t size() const;
  bool is_draining() const;
  void add(HttpConnection* connection, std::weak_ptr<HttpConnection> handle);
  void remove(HttpConnection* connection);
  // Tells all to end when they are done.
  void drain();
  // Ends all of them; who is being answered has hung up.
  void abort();
  void wait_until_empty();

 private:
  std::vector<std::shared_ptr<HttpConnection>> all_when_draining();

  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<HttpConnection*, std::weak_ptr<HttpConnection>> open_;
  bool draining_ = false;
};

struct SharedByConnections {
  SharedByConnections(HttpSettings wanted, HttpHandler handles)
      : settings(std::move(wanted)), handler(std::move(handles)) {}

  const HttpSettings settings;
  const HttpHandler handler;
  ConnectionRegistry registry;
};

// A connection that is one too many only learns that.
void start_connection(std::shared_ptr<SharedByConnections> shared, ConnectionSocket socket,
                      bool is_too_many);

}  // namespace heed
