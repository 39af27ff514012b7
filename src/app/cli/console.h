// What the program knows about the terminal it runs in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>

#include "heed/data/byte_input.h"
#include "heed/visualisation/heat_map_terminal.h"

namespace heed {

// Where commands print (data on `out`, everything else on `err`, heat maps in `style`), and where
// they read standard input from.
struct Console {
  std::ostream& out;
  std::ostream& err;
  TerminalStyle style;
  std::function<std::unique_ptr<ByteInput>()> in = [] { return open_file("-"); };
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int err_columns = 80;
  int64_t in_bytes = 0;  // of text to read, if known
  // Of a terminal that can be resized; 0 if it does not say.
  std::function<int()> ask_err_columns = {};

  // For a line drawn now: the window may have been resized.
  int err_columns_now() const {
    const int columns = ask_err_columns ? ask_err_columns() : 0;
    return columns > 0 ? columns : err_columns;
  }
};

// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Colours only for a terminal that has them and a user who wants them (NO_COLOR, TERM, COLORTERM);
// shades if the locale has Unicode (LC_ALL, LC_CTYPE, LANG), otherwise digits.
TerminalStyle choose_style(bool is_terminal, int columns, const Environment& environment);

// The console of this process's standard output and error.
Console detect_console(std::ostream& out, std::ostream& err);

}  // namespace heed
