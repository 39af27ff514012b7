// Files of flags, as a user of the command line meets them.
#pragma once

#include <sstream>

#include "heed/app/cli/program.h"
#include "reader.h"

namespace heed::testing {

// Flags that are wrong are wrong usage, told in one line.
inline void read_flags(const std::string& file) {
  std::ostringstream out, err;
  const Console console{out, err, TerminalStyle{.width = 80, .ink = Ink::digits}};
  const int code = run_program({"train", "--config", file, "--print-config"}, console);
  const std::string said = err.str();
  if (code == 0) {
    EXPECT_EQ(said, "");
    return;
  }
  EXPECT_EQ(code, 2) << said;
  EXPECT_TRUE(said.starts_with("heed: " + file) && said.ends_with("\n")) << said;
  fail("{}", said.substr(0, said.size() - 1));
}

inline Reader flag_file_reader() {
  return {.name = "FlagFile",
          .write =
              [](const TemporaryFolder& folder) {
                folder.put("flags",
                           "# what was asked for\n"
                           "train = [\"a.en\", 'a.de',\n  \"\\x62 \\\"c\\\"\\t\", # more\n]\n"
                           "model = out\nsteps = 1000\nlearning-rate = 1e-3\npreset = \"small\"\n"
                           "override = true\ntime = 1.5h\nmemory = 2G\n");
              },
          .files = {"flags"},
          .read = [](const TemporaryFolder& folder) { read_flags(folder.path("flags")); },
          .refused = 0.2};
}

}  // namespace heed::testing
