#include "heed/server/service.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/utf8_bytes.h"
#include "heed/server/reply_json.h"
#include "heed/server/route.h"

namespace heed {

namespace {

constexpr size_t most_in_background = 64;

// Of one request among those that are in flight.
class Place {
 public:
  explicit Place(std::atomic<int64_t>& count) : count_(count) { ++count_; }
  ~Place() { leave(); }
  void leave() {
    if (!left_.exchange(true)) --count_;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::atomic<int64_t>& count_;
  std::atomic<bool> left_ = false;
};

int64_t count_sentences(const JobResult& result) {
  int64_t count = 0;
  for (const TranslatedText& text : result.texts)
    count += static_cast<int64_t>(text.sentences.size());
  return count;
}

// "mul" is the code of several languages.
void note_languages(const ModelPath& path, RequestNotes& notes) {
  const std::string &source = path.front()->languages().source,
                    &target = path.back()->languages().target;
  const std::string languages = source + "-" + target;
  notes.languages =
      notes.languages.empty() || notes.languages == languages ? languages : "mul-" + target;
}

}  // namespace

int64_t count_characters(const std::vector<std::string>& texts) {
  int64_t count = 0;
  for (const std::string& text : texts) count += count_characters(text);
  return count;
}

Service::Service(ServiceSettings settings)
    : settings_(std::move(settings)),
      translator_options_{.threads = settings_.threads,
                          .use_shortlist = settings_.shortlist,
                          .precision = settings_.int8 ? Precision::int8 : Precision::float32},
      access_(settings_.access),
      background_(most_in_background) {}

Service::~Service() {
  const std::lock_guard lock(mutex_);
  models_ = nullptr;
}

std::shared_ptr<const ModelSet> Service::models() const {
  const std::lock_guard lock(mutex_);
  if (!models_) throw Refusal(503, "the models are being loaded", 1);
  return models_;
}

std::string Service::metrics_text() const {
  Gauges now{.connections = surroundings_.connections(),
             .in_flight = in_flight_,
             .models = 0,
             .ready = is_ready()};
  {
    const std::lock_guard lock(mutex_);
    if (models_) now.models = static_cast<int64_t>(models_->models().size());
  }
  return metrics_.text(now);
}

void Service::load() {
  std::shared_ptr<const ModelSet> before;
  {
    const std::lock_guard lock(mutex_);
    before = models_;
  }
  std::shared_ptr<const ModelSet> now =
      load_models(settings_.models, translator_options_, keeper_, before.get());
  {
    const std::lock_guard lock(mutex_);
    models_ = std::move(now);
  }
  is_loaded_ = true;
}

bool Service::folders_have_changed() const {
  const std::shared_ptr<const ModelSet> now = models();
  return std::ranges::any_of(now->models(), [](const auto& model) {
    return ServedModel::stamps_of(model->named()) != model->stamps();
  });
}

void Service::prepare(const Call& call, std::span<TranslationJob> parts) {
  if (in_flight_ >= limits().queue) throw Refusal(503, "the server is busy", 1);
  const auto deadline = std::chrono::steady_clock::now() + limits().time;
  RequestNotes& notes = call.exchange->notes();
  notes.characters = 0;
  for (TranslationJob& job : parts) {
    job.stop = call.exchange->stop();
    job.deadline = deadline;
    notes.characters += count_characters(job.texts);
    if (logs_texts()) notes.texts += joined(job.texts);
    if (!job.path.empty()) note_languages(job.path, notes);
  }
  access_.use(call.client, notes.characters, call.route.shape);
}

std::function<void(JobResult)> Service::replying(const Call& call, ReplyOf reply_of,
                                                 ReplyWork work) {
  const auto place = std::make_shared<Place>(in_flight_);
  const auto exchange = call.exchange;
  const ApiShape shape = call.route.shape;
  const auto reply = [exchange, shape, place,
                      reply_of = std::move(reply_of)](const JobResult& result) {
    place->leave();
    try {
      if (result.error) std::rethrow_exception(result.error);
      exchange->notes().sentences = count_sentences(result);
      exchange->reply(reply_of(result));
    } catch (...) {
      exchange->reply(refusal_reply(refusal_of(std::current_exception()), shape));
    }
  };
  return [this, reply, work](JobResult result) {
    if (work == ReplyWork::short_work || result.error) return reply(result);
    const auto shared = std::make_shared<const JobResult>(std::move(result));
    const bool is_added = background_.add([reply, shared] { reply(*shared); });
    if (!is_added) reply({{}, std::make_exception_ptr(Refusal(503, "the server is busy", 1))});
  };
}

void Service::translate(const Call& call, TranslationJob job, ReplyOf reply_of, ReplyWork work) {
  prepare(call, std::span(&job, 1));
  start_job(std::move(job), replying(call, std::move(reply_of), work));
}

void Service::translate(const Call& call, SplitJob job, ReplyOf reply_of) {
  prepare(call, job.parts);
  start_split_job(std::move(job), replying(call, std::move(reply_of), ReplyWork::short_work));
}

void Service::stream(const Call& call, TranslationJob job,
                     std::function<void(const JobResult&)> last) {
  prepare(call, std::span(&job, 1));
  const auto place = std::make_shared<Place>(in_flight_);
  const auto exchange = call.exchange;
  exchange->begin({.type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}});
  const auto end = [exchange, place, last = std::move(last)](const JobResult& result) {
    place->leave();
    try {
      if (result.error) std::rethrow_exception(result.error);
      exchange->notes().sentences = count_sentences(result);
      last(result);
    } catch (...) {
      const Refusal refusal = refusal_of(std::current_exception());
      exchange->send("event: error\ndata: " + refusal_reply(refusal, ApiShape::heed).body + "\n\n");
    }
    exchange->finish();
  };
  try {
    start_job(std::move(job), [this, end](JobResult result) {
      const auto shared = std::make_shared<const JobResult>(std::move(result));
      if (!background_.add([end, shared] { end(*shared); })) end(*shared);
    });
  } catch (...) {
    end({{}, std::current_exception()});
  }
}

void Service::work(const Call& call, std::function<void()> task) {
  const auto exchange = call.exchange;
  const ApiShape shape = call.route.shape;
  const bool is_added = background_.add([exchange, shape, task = std::move(task)] {
    if (exchange->stop().stop_requested()) return;
    try {
      task();
    } catch (...) {
      exchange->reply(refusal_reply(refusal_of(std::current_exception()), shape));
    }
  });
  if (!is_added) throw Refusal(503, "the server is busy", 1);
}

}  // namespace heed
