// The program as users see it: arguments and standard input in, an exit code and two texts out, in
// its own folder.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "heed/app/cli/program.h"

namespace heed::testing {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    std::string name = (std::filesystem::temp_directory_path() / "heed_program_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  static Outcome run(const std::vector<std::string>& arguments, const std::string& input = "") {
    std::ostringstream out, err;
    const Console console{out, err, TerminalStyle{.width = 80, .ink = Ink::digits},
                          [&] { return input_of(input); }};
    const int code = run_program(arguments, console);
    return {code, out.str(), err.str()};
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  std::filesystem::path folder_;
};

}  // namespace heed::testing
