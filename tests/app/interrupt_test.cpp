#include "heed/app/cli/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <iterator>

#include "heed/base/files.h"
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

// The program waits for input that never comes, with both outputs open.
TEST(Interrupt, ASignalLeavesNoFilesOfACorpusBehind) {
  ::signal(SIGHUP, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const testing::TemporaryFolder folder, outputs;
    ASSERT_EQ(::mkfifo(folder.path("pipe.tsv").c_str(), 0600), 0);
    testing::TrainProcess process({"corpus", "--input", folder.path("pipe.tsv"), "--output",
                                   outputs.path("source"), outputs.path("target")},
                                  folder.path("output"));
    while (process.runs() && files_in(outputs.path("")) < 2) {
    }
    EXPECT_EQ(files_in(outputs.path("")), 2) << folder.text("output");
    EXPECT_EQ(process.kill(signal), 128 + signal);
    EXPECT_EQ(files_in(outputs.path("")), 0);
  }
}

}  // namespace
}  // namespace heed
