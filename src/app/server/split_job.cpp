#include "heed/server/split_job.h"

#include <memory>
#include <mutex>

namespace heed {

namespace {

// What has arrived of the parts.
class GatheredTexts {
 public:
  GatheredTexts(std::vector<std::vector<size_t>> places, std::function<void(JobResult)> done)
      : places_(std::move(places)), done_(std::move(done)), left_(places_.size()) {
    size_t texts = 0;
    for (const std::vector<size_t>& own : places_) texts += own.size();
    result_.texts.resize(texts);
  }

  void take(size_t part, JobResult result) {
    {
      const std::lock_guard lock(mutex_);
      if (result.error && !result_.error) result_.error = result.error;
      for (size_t i = 0; i < result.texts.size(); ++i)
        result_.texts[places_[part][i]] = std::move(result.texts[i]);
      if (--left_ > 0) return;
    }
    if (result_.error) result_.texts.clear();
    done_(std::move(result_));
  }

 private:
  std::vector<std::vector<size_t>> places_;
  std::function<void(JobResult)> done_;
  std::mutex mutex_;
  JobResult result_;
  size_t left_;
};

}  // namespace

void start_split_job(SplitJob job, std::function<void(JobResult)> done) {
  const auto gathered = std::make_shared<GatheredTexts>(std::move(job.places), std::move(done));
  for (size_t part = 0; part < job.parts.size(); ++part) {
    try {
      start_job(std::move(job.parts[part]),
                [gathered, part](JobResult result) { gathered->take(part, std::move(result)); });
    } catch (...) {
      gathered->take(part, {{}, std::current_exception()});
    }
  }
}

}  // namespace heed
