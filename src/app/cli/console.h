// What the program knows about the terminal it runs in.
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>

#include "heed/visualisation/heat_map_terminal.h"

namespace heed {

// Where commands print: data on `out`, everything else on `err`, heat maps in `style`; and where those that
// take lines read them.
struct Console {
  std::ostream& out;
  std::ostream& err;
  TerminalStyle style;
  std::istream& in = std::cin;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int err_columns = 80;
  int64_t in_bytes = 0;  // that are there to read, where that is known: in a file
};

// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Colours only for a terminal that has them and a user who wants them (NO_COLOR, TERM, COLORTERM); shades
// where the locale is not said to lack Unicode (LC_ALL, LC_CTYPE, LANG), otherwise digits.
TerminalStyle choose_style(bool is_terminal, int columns, const Environment& environment);

// The console of this process's standard output and error.
Console detect_console(std::ostream& out, std::ostream& err);

}  // namespace heed
