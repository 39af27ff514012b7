// A client over a plain socket: sends whatever bytes a test wants, and reads replies.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace heed::testing {

struct HttpAnswer {
  int status = 0;                                   // 0: the connection ended without one
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};
  bool complete = false;
};

class HttpClient {
 public:
  explicit HttpClient(uint16_t port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() { hang_up(); }

  bool connected() const { return connected_; }
  void hang_up() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  // False if the server has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  // The next reply. A reply to HEAD has no body.
  HttpAnswer receive(bool is_head = false, int patience_ms = 20000) {
    HttpAnswer answer;
    size_t end;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos)
      if (!more(patience_ms)) return answer;
    read_head(received_.substr(0, end), answer);
    received_.erase(0, end + 4);
    if (answer.status == 100) return receive(is_head, patience_ms);
    const bool has_body = !is_head && answer.status != 204 && answer.status != 304;
    if (!has_body) {
      answer.complete = true;
    } else if (answer.headers.contains("content-length")) {
      const size_t length = std::stoul(answer.headers["content-length"]);
      while (received_.size() < length && more(patience_ms)) continue;
      answer.complete = received_.size() >= length;
      answer.body = received_.substr(0, length);
      received_.erase(0, length);
    } else if (answer.headers["transfer-encoding"] == "chunked") {
      read_chunks(answer, patience_ms);
    } else {
      while (more(patience_ms)) continue;
      answer.body = received_;
      received_.clear();
      answer.complete = true;
    }
    return answer;
  }

  // Whether the server closes the connection, sending nothing more.
  bool is_closed(int patience_ms = 20000) {
    return received_.empty() && !more(patience_ms) && ended_;
  }

  // More bytes than there were, or false.
  bool more(int patience_ms) {
    pollfd waiting = {socket_, POLLIN, 0};
    if (::poll(&waiting, 1, patience_ms) <= 0) return false;
    char bytes[4096];
    const ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (count <= 0) {
      ended_ = true;
      return false;
    }
    received_.append(bytes, static_cast<size_t>(count));
    return true;
  }
  const std::string& received() const { return received_; }

 private:
  static void read_head(const std::string& head, HttpAnswer& answer) {
    if (head.size() > 12) answer.status = std::atoi(head.c_str() + 9);
    for (size_t at = head.find("\r\n"); at != std::string::npos;) {
      const size_t next = head.find("\r\n", at + 2);
      const std::string line = head.substr(at + 2, next - at - 2);
      const size_t colon = line.find(": ");
      if (colon != std::string::npos) {
        std::string name = line.substr(0, colon);
        for (char& c : name) c = static_cast<char>(std::tolower(c));
        answer.headers[name] = line.substr(colon + 2);
      }
      at = next;
    }
  }

  void read_chunks(HttpAnswer& answer, int patience_ms) {
    while (true) {
      size_t line;
      while ((line = received_.find("\r\n")) == std::string::npos)
        if (!more(patience_ms)) return;
      const size_t size = std::stoul(received_.substr(0, line), nullptr, 16);
      while (received_.size() < line + 2 + size + 2)
        if (!more(patience_ms)) return;
      answer.body += received_.substr(line + 2, size);
      received_.erase(0, line + 2 + size + 2);
      if (size == 0) break;
    }
    answer.complete = true;
  }

  int socket_ = -1;
  bool connected_ = false, ended_ = false;
  std::string received_;
};

inline std::string http_request(const std::string& method, const std::string& target,
                                const std::string& body = "", const std::string& type = "",
                                const std::string& more_headers = "") {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: test\r\n" + more_headers;
  if (!type.empty()) text += "Content-Type: " + type + "\r\n";
  if (!body.empty() || method == "POST")
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

}  // namespace heed::testing
