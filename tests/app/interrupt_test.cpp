#include "heed/app/cli/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>

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

}  // namespace
}  // namespace heed
