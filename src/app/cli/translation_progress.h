// The progress of `heed translate`, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "heed/app/cli/console.h"

namespace heed {

// "1200 lines · 350 per second · 0:12 left"; the time left only if the size of the input is known
// (not 0).
std::string progress_text(int64_t lines, double seconds, int64_t bytes, int64_t all_bytes);

// A live line on standard error that disappears at the end. Silent if nobody would see it, or if it
// would mix with the translations.
class TranslationProgress {
 public:
  explicit TranslationProgress(const Console& console);
  ~TranslationProgress();
  TranslationProgress(const TranslationProgress&) = delete;
  TranslationProgress& operator=(const TranslationProgress&) = delete;

  void add(std::span<const std::string> lines);

 private:
  const Console& console_;
  bool shown_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int64_t lines_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace heed
