// What all APIs share: the models, the limits, and translating the texts of a request.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/server/access.h"
#include "heed/server/background_work.h"
#include "heed/server/http_message.h"
#include "heed/server/metrics.h"
#include "heed/server/model_set.h"
#include "heed/server/refusal.h"
#include "heed/server/split_job.h"
#include "heed/server/translation_job.h"

namespace heed {

struct RequestLimits {
  int64_t characters = 100'000;  // of the texts of a request
  int64_t texts = 128;           // of a request
  int64_t alternatives = 10;     // of a text
  int64_t beam = 16;
  int64_t queue = 256;  // requests that are being translated or wait for it
  int64_t attention_tokens = 256;
  std::chrono::milliseconds time{60'000};  // of a translation
};

struct ServiceSettings {
  std::vector<NamedFolder> models;
  int threads = 1;  // of each model
  bool int8 = false;
  bool shortlist = false;  // whether the models' own are used
  bool pivots = false;     // whether all APIs may go through a third language
  bool logs_texts = false;
  RequestLimits limits = {};
  AccessSettings access = {};
};

struct Call;

// Whether a thread of the translator may make the reply.
enum class ReplyWork { short_work, long_work };

class Service {
 public:
  explicit Service(ServiceSettings settings);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  // Waits until nobody uses the models.
  ~Service();

  const ServiceSettings& settings() const { return settings_; }
  const RequestLimits& limits() const { return settings_.limits; }
  // A Refusal (503) as long as they are not loaded.
  std::shared_ptr<const ModelSet> models() const;
  int64_t in_flight() const { return in_flight_; }

  // Translates and replies; `reply_of` makes the reply of the result, on a thread of the
  // translator. A Refusal (503) if too many requests are waiting.
  using ReplyOf = std::function<HttpReply(const JobResult&)>;
  void translate(const Call& call, TranslationJob job, ReplyOf reply_of,
                 ReplyWork work = ReplyWork::short_work);
  void translate(const Call& call, SplitJob job, ReplyOf reply_of);
  // The same as server-sent events: `last` sends what comes when all is done.
  void stream(const Call& call, TranslationJob job, std::function<void(const JobResult&)> last);

  // Does what takes long on another thread. What it throws is the reply. A Refusal (503) if there
  // is too much of it.
  void work(const Call& call, std::function<void()> task);

  // Whether the models are loaded and the server is not about to end.
  bool is_ready() const { return is_loaded_ && !is_ending_; }
  bool is_ending() const { return is_ending_; }
  void end() { is_ending_ = true; }
  Access& access() { return access_; }
  Metrics& metrics() { return metrics_; }
  std::string metrics_text() const;

  // What only the server as a whole knows. Set before the first request.
  struct Surroundings {
    std::string openapi;
    std::function<int64_t()> connections;
  };
  void set_surroundings(Surroundings surroundings) { surroundings_ = std::move(surroundings); }
  const std::string& openapi() const { return surroundings_.openapi; }
  // Whether what was translated is to be logged.
  bool logs_texts() const { return settings_.logs_texts; }

  // Loads the models, or those whose folders have changed. Requests that have begun end with the
  // models that they began with, which are let go of with the last of them. An Error says which
  // cannot be loaded, and leaves everything as it is.
  void load();
  bool folders_have_changed() const;

 private:
  void prepare(const Call& call, std::span<TranslationJob> parts);
  // Replies with what becomes of a job.
  std::function<void(JobResult)> replying(const Call& call, ReplyOf reply_of, ReplyWork work);

  ServiceSettings settings_;
  TranslatorOptions translator_options_;
  Access access_;
  Metrics metrics_;
  Surroundings surroundings_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ModelSet> models_;
  std::atomic<bool> is_loaded_ = false, is_ending_ = false;
  std::atomic<int64_t> in_flight_ = 0;
  BackgroundWork background_;
  TranslatorKeeper keeper_;  // the first to go: until then, requests may use the rest
};

int64_t count_characters(const std::vector<std::string>& texts);

}  // namespace heed
