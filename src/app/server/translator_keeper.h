// Translators that any thread may be the last to let go of.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "heed/decoding/translator.h"

namespace heed {

// A request ends on a thread of its translator. If nobody else has that translator by then, because
// its model has been replaced, the translator must end, but on another thread, since it waits for
// its own: so each that nobody has any more ends on the thread of the keeper.
class TranslatorKeeper {
 public:
  TranslatorKeeper();
  TranslatorKeeper(const TranslatorKeeper&) = delete;
  TranslatorKeeper& operator=(const TranslatorKeeper&) = delete;
  // Waits until all that were kept have been let go of, and have ended.
  ~TranslatorKeeper();

  std::shared_ptr<const Translator> keep(Translator translator);

 private:
  using Translators = std::list<Translator>;

  // Needs no memory, which there may be none of.
  void let_go(Translators::iterator translator) noexcept;
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  Translators kept_, unused_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace heed
