// How far an aligner has got, on a terminal: a live line that disappears at the end.
#pragma once

#include "heed/alignment/word_aligner.h"
#include "heed/app/cli/console.h"

namespace heed {

class RoundsDisplay {
 public:
  explicit RoundsDisplay(const Console& console) : console_(console) {}
  ~RoundsDisplay() {
    if (console_.err_is_terminal) console_.err << "\r\x1b[K" << std::flush;
  }
  RoundsDisplay(const RoundsDisplay&) = delete;
  RoundsDisplay& operator=(const RoundsDisplay&) = delete;

  WordAligner::Progress progress() const {
    return [this](int round, int rounds) {
      if (console_.err_is_terminal)
        console_.err << fmt::format("\rRound {} of {}", round, rounds) << std::flush;
    };
  }

 private:
  const Console& console_;
};

}  // namespace heed
