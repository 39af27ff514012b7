#include "heed/app/cli/interrupt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iterator>

#include "heed/base/files.h"
#include "small_model.h"
#include "temporary_folder.h"
#include "train_process.h"

namespace heed {
namespace {

using ::testing::ExitedWithCode;

TEST(InterruptDeathTest, EndsTheProgramWith130) {
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        ::raise(SIGINT);
      },
      ExitedWithCode(130), "");
}

TEST(InterruptDeathTest, WaitsWhileAFileIsWritten) {
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        const InterruptsWait wait;
        ::raise(SIGINT);
        std::fputs("the file is complete", stderr);
      },
      ExitedWithCode(130), "the file is complete");
}

TEST(InterruptDeathTest, TheSecondOneDoesNotWait) {
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        const InterruptsWait wait;
        ::raise(SIGINT);
        ::raise(SIGTERM);
        std::fputs("still there", stderr);
      },
      ExitedWithCode(143), "^$");
}

int files_in(const std::string& folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(InterruptDeathTest, LeavesNoUnfinishedFileHoweverItEnds) {
  const testing::TemporaryFolder folder;
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        const OutputFile file(folder.path("a"));
        const InterruptsAsked asked;
        ::raise(SIGINT);
        if (files_in(folder.path("")) == 1) ::raise(SIGINT);
      },
      ExitedWithCode(130), "");
  EXPECT_EQ(files_in(folder.path("")), 0);
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        const OutputFile file(folder.path("a"));
        const InterruptsWait wait;
        ::raise(SIGTERM);
      },
      ExitedWithCode(143), "");
  EXPECT_EQ(files_in(folder.path("")), 0);
}

TEST(InterruptDeathTest, WhatNohupIgnoresStaysIgnored) {
  EXPECT_EXIT(
      {
        ::signal(SIGHUP, SIG_IGN);
        install_interrupt_handler();
        ::raise(SIGHUP);
        ::_exit(7);
      },
      ExitedWithCode(7), "");
}

class Interrupt : public ::testing::Test {
 protected:
  // Held open for writing, so that nobody waits for a writer.
  Interrupt() {
    ::mkfifo(input_.c_str(), 0600);
    pipe_ = ::open(input_.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~Interrupt() override { ::close(pipe_); }

  // The program waits for input that never comes, with all its outputs open.
  void expect_nothing_left(std::vector<std::string> command,
                           const std::vector<std::string>& outputs) const {
    ::signal(SIGHUP, SIG_DFL);
    const int files = static_cast<int>(outputs.size());
    command.insert(command.end(), {"--input", input_, "--output"});
    for (const std::string& output : outputs) command.push_back(outputs_.path(output));
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      testing::TrainProcess process(command, folder_.path("said"));
      while (process.runs() && files_in(outputs_.path("")) < files) {
      }
      EXPECT_EQ(files_in(outputs_.path("")), files) << folder_.text("said");
      EXPECT_EQ(process.kill(signal), 128 + signal);
      EXPECT_EQ(files_in(outputs_.path("")), 0);
    }
  }

  testing::TemporaryFolder folder_, outputs_;
  std::string input_ = folder_.path("pipe.tsv");
  int pipe_ = -1;
};

TEST_F(Interrupt, ASignalLeavesNoFilesOfACorpusBehind) {
  expect_nothing_left({"corpus"}, {"source", "target"});
}

TEST_F(Interrupt, ASignalLeavesNoFileOfTranslationsBehind) {
  testing::put_model(folder_.path("model"));
  expect_nothing_left({"translate", "--model", folder_.path("model")}, {"text"});
}

}  // namespace
}  // namespace heed
