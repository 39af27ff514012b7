// Lines in, lines out: one for one, in order, as soon as they are ready, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/data/line_reader.h"

namespace heed {

struct LineCounts {
  int64_t lines = 0;
  int64_t not_utf8 = 0;  // of them
};

// The lines of a text, without their line ends (LF or CR LF). Bytes that are not UTF-8 become
// U+FFFD.
class TextLines {
 public:
  explicit TextLines(LineReader reader) : reader_(std::move(reader)) {}

  bool next(std::string& line);                   // false if there is none
  std::vector<std::string> next(size_t most);     // fewer at the end
  bool is_ready() { return reader_.is_ready(); }  // whether next() would not block

  const std::string& name() const { return reader_.name(); }
  const LineCounts& counts() const { return counts_; }  // of the lines so far

 private:
  LineReader reader_;
  LineCounts counts_;
};

// How a command with the flag --force treats files that do not look like text.
TextCheck check_unless(bool forced);

// A text file to read, which may be compressed; "-" is standard input. An Error if it cannot be
// read or, at the first line, if it does not look like text and is not forced.
TextLines open_lines(const Console& console, const std::string& path, bool forced);

// A line of which something is being made.
struct PendingLine {
  std::function<bool()> is_done;
  std::function<std::string()> take;  // waits until it is done, and gives what is to be written
};

struct LineLimits {
  size_t lines = 4096;             // that may be pending
  size_t bytes = size_t{1} << 22;  // of their texts; a longer line is pending alone
};

// Begins something with each line of `in` and writes what comes of it to `out`, in order, a line as
// soon as it and those before it are done. Nothing waits for input while a line is pending. Ends at
// the end of `in`, or when `out` takes no more. `wrote` is told the lines that were written.
void pass_lines(TextLines& in, std::ostream& out,
                const std::function<PendingLine(const std::string& line)>& begin,
                const std::function<void(std::span<const std::string> lines)>& wrote = {},
                const LineLimits& limits = {});

}  // namespace heed
