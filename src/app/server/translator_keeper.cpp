#include "heed/server/translator_keeper.h"

#include <utility>

#include "heed/base/workers.h"

namespace heed {

TranslatorKeeper::TranslatorKeeper()
    : thread_(starting_threads([&] { return std::thread([&] { run(); }); })) {}

TranslatorKeeper::~TranslatorKeeper() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

std::shared_ptr<const Translator> TranslatorKeeper::keep(Translator translator) {
  Translators one;
  one.push_back(std::move(translator));
  const Translators::iterator place = one.begin();
  {
    const std::lock_guard lock(mutex_);
    kept_.splice(kept_.end(), one);
  }
  return {&*place, [this, place](const Translator*) { let_go(place); }};
}

void TranslatorKeeper::let_go(Translators::iterator translator) noexcept {
  const std::lock_guard lock(mutex_);
  unused_.splice(unused_.end(), kept_, translator);
  // Under the lock: afterwards, the keeper may be gone.
  changed_.notify_one();
}

void TranslatorKeeper::run() {
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [&] { return !unused_.empty() || (ends_ && kept_.empty()); });
    if (unused_.empty()) return;
    Translators ending;
    ending.splice(ending.end(), unused_);
    lock.unlock();
    ending.clear();
    lock.lock();
  }
}

}  // namespace heed
