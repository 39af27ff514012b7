// What the translations of lines must begin with.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/app/cli/line_stream.h"
#include "heed/data/vocabulary.h"

namespace heed {

// The lines of a file that belong to the lines of the input, or nothing if there is no file.
class PrefixLines {
 public:
  PrefixLines(const Console& console, const std::string& path, bool forced);

  std::string next();
  void check_end(std::ostream& err);

 private:
  std::optional<TextLines> file_;
};

// Reports the characters of prefixes that no translation can begin with; with --strict, as an
// error.
class PrefixCheck {
 public:
  PrefixCheck(const std::string& path, const Vocabulary& vocabulary, bool strict, std::ostream& err)
      : name_(input_name(path)), vocabulary_(vocabulary), strict_(strict), err_(err) {}

  void look_at(const std::string& prefix);
  void skip(int64_t lines) { line_ += lines; }

 private:
  std::string name_;
  const Vocabulary& vocabulary_;
  bool strict_;
  std::ostream& err_;
  int64_t line_ = 0;
};

}  // namespace heed
