// The server as a whole: HTTP, the APIs, the models.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/server/http_server.h"
#include "heed/server/page_files.h"
#include "heed/server/service.h"

namespace heed {

struct ServerSettings {
  HttpSettings http = {};
  ServiceSettings service = {};
  PageSettings page = {};
  std::vector<std::string> origins = {};  // whose pages may ask, or "*"; see CORS
  bool logs_requests = true;
  // Gets lines of JSON, from any thread.
  std::function<void(const std::string& line)> log = {};
};

class Server {
 public:
  // Listens, and answers that it is not ready yet. An Error if it cannot listen.
  explicit Server(ServerSettings settings);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  std::string address() const;  // "http://127.0.0.1:5000"
  uint16_t port() const;

  // Loads the models, for the first time. An Error says what cannot be loaded.
  void load_models();
  // Takes in models and keys that have changed on disk. What cannot be read is logged, and stays as
  // it was.
  void reload();
  bool models_have_changed() const;

  // Accepts nothing more; returns when all that was accepted has been answered.
  void drain();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace heed
