// The program under memory that fails, as main runs it: in a process of its own, since a library
// may leave it no other way than to end.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include "comparable_files.h"
#include "heed/app/cli/memory_shortage.h"
#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/program.h"
#include "sweep_size.h"
#include "temporary_folder.h"

namespace heed::testing {

class ProgramSweep {
 public:
  // What the program writes beside its streams is in the folder `made`.
  ProgramSweep(std::vector<std::string> arguments, std::string made)
      : arguments_(std::move(arguments)), made_(std::move(made)) {}

  void run(const SweepSize& size) {
    ASSERT_EQ(run_in_child({0, Refusal::once}), 0) << said_.text("err");
    expected_ = result();
    const int64_t requests = *requests_;
    int done = 0;
    const std::vector<RefusedRequest> refused = size.of(requests);
    for (const RefusedRequest& request : refused) done += survive(request);
    std::cout << refused.size() << " runs in which one of " << requests << " requests was refused, "
              << done << " of them with all that was wanted\n";
    EXPECT_GT(refused.size(), done);
  }

 private:
  // Whether it was done all the same. Otherwise it says so in one sentence, ends with 1 and leaves
  // no partial file, and when it is started again it does what it should.
  bool survive(const RefusedRequest& request) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, request.text());
    std::filesystem::remove_all(made_);
    const int code = run_in_child(request);
    EXPECT_EQ(partial_files_below(made_), 0);
    if (code != 0) {
      EXPECT_EQ(code, 1);
      const std::string text = said_.text("err");
      const std::string sentence = text.substr(std::min(text.rfind("heed: "), text.size()));
      EXPECT_EQ(sentence.find('\n') + 1, sentence.size()) << text;
      EXPECT_TRUE(names_the_shortage(sentence)) << text;
      EXPECT_EQ(run_in_child({0, Refusal::once}), 0) << said_.text("err");
    }
    EXPECT_TRUE(result() == expected_) << "another result";
    return code == 0;
  }

  int run_in_child(const RefusedRequest& request) {
    const pid_t child = ::fork();
    if (child == 0) run_as_main(request);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  [[noreturn]] void run_as_main(const RefusedRequest& request) const noexcept {
    redirect(STDIN_FILENO, "/dev/null");
    redirect(STDOUT_FILENO, said_.path("out"));
    redirect(STDERR_FILENO, said_.path("err"));
    int code = 0;
    {
      const FailingMemory failing(request.at, request.refusal);
      install_memory_handler();
      OutputStream out("-");
      code = run_program(arguments_, detect_console(out, std::cerr));
    }
    *requests_ = FailingMemory::requests();
    ::_exit(code);
  }

  static void redirect(int descriptor, const std::string& file) {
    ::dup2(::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666), descriptor);
  }

  std::string result() const {
    std::string all = said_.text("out");
    for (const auto& [name, bytes] : comparable_files(made_)) all += name + bytes;
    return all;
  }

  std::vector<std::string> arguments_;
  std::string made_;
  std::string expected_;
  TemporaryFolder said_{fast_folder()};
  // Of the last run; shared with the child.
  int64_t* requests_ = static_cast<int64_t*>(
      ::mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
};

}  // namespace heed::testing
