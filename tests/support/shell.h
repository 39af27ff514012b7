// The program as a shell runs it, with everything that a shell can do to its streams.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>

#include <string>

#include "temporary_folder.h"

namespace heed::testing {

// Commands run in a folder of their own; $HEED is the program.
class Shell {
 public:
  struct Result {
    int code;
    std::string out;
    std::string err;
  };

  explicit Shell(const std::string& program) { ::setenv("HEED", program.c_str(), 1); }

  Result run(const std::string& command) const {
    const std::string both = "cd '" + folder_.path("") + "' && { " + command + "\n} >.out 2>.err";
    const int status = std::system(both.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, folder_.text(".out"), folder_.text(".err")};
  }

  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

}  // namespace heed::testing
