// The lines that `heed attention` looks at.
#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/app/cli/line_stream.h"

namespace heed {

// The text of a flag, which may hold any bytes, as a line of a file would be read.
std::string as_line(const std::string& text);

struct LineChoice {
  std::optional<std::string> source;  // a line; none: those of standard input
  std::optional<std::string> target;  // its translation
  std::string target_file = {};       // the translations of all lines
  bool forced = false;
};

class AttentionLines {
 public:
  AttentionLines(const Console& console, const LineChoice& choice);

  struct Line {
    size_t number = 0;  // from 1 on
    std::string source;
    std::optional<std::string> target;  // none: the model is to translate
  };
  // Nothing at the end. An Error if there is not one translation for each line.
  std::optional<Line> next();

  // Says how many lines were not UTF-8.
  void report(std::ostream& err) const;

 private:
  std::optional<std::string> next_source();
  std::optional<std::string> next_target();

  LineChoice choice_;
  size_t number_ = 0;
  std::optional<TextLines> sources_, targets_;
};

}  // namespace heed
