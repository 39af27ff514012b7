#include "heed/app/cli/translation_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/app/cli/clock_text.h"
#include "heed/base/text.h"

namespace heed {

std::string progress_text(int64_t lines, double seconds, int64_t bytes, int64_t all_bytes) {
  std::string text = fmt::format("{} lines", lines);
  if (seconds > 0)
    text += fmt::format(" · {:.0f} per second", static_cast<double>(lines) / seconds);
  if (bytes > 0 && all_bytes >= bytes)
    text += fmt::format(" · {} left", clock_text(seconds * static_cast<double>(all_bytes - bytes) /
                                                 static_cast<double>(bytes)));
  return text;
}

TranslationProgress::TranslationProgress(const Console& console)
    : console_(console),
      shown_(console.err_is_terminal && !console.out_is_terminal && !console.in_is_terminal) {}

TranslationProgress::~TranslationProgress() {
  if (shown_) console_.err << "\r\033[K" << std::flush;
}

void TranslationProgress::add(std::span<const std::string> lines) {
  lines_ += static_cast<int64_t>(lines.size());
  for (const std::string& line : lines) bytes_ += static_cast<int64_t>(line.size()) + 1;
  if (!shown_) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  console_.err << "\r\033[K"
               << shorten(progress_text(lines_, seconds, bytes_, console_.in_bytes),
                          std::max(20, console_.err_columns - 1))
               << std::flush;
}

}  // namespace heed
