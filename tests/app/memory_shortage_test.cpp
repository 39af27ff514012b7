#include "heed/app/cli/memory_shortage.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <stdexcept>

#include "heed/base/files.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::TemporaryFolder;

void call_where_nothing_is_caught(void (*function)()) noexcept { function(); }

TEST(MemoryShortageDeathTest, IsReportedEvenIfNothingCatchesIt) {
  const TemporaryFolder folder;
  EXPECT_EXIT(
      {
        install_memory_handler();
        OutputFile file(folder.path("file"));
        file.write("begun");
        call_where_nothing_is_caught([] { throw std::bad_alloc(); });
      },
      ::testing::ExitedWithCode(1), "^heed: not enough memory\n$");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(MemoryShortageDeathTest, IsReportedIfALibraryExits) {
  const TemporaryFolder folder;
  EXPECT_EXIT(
      {
        install_memory_handler();
        OutputFile file(folder.path("file"));
        file.write("begun");
        std::exit(-1);
      },
      ::testing::ExitedWithCode(1), "^heed: SentencePiece gave up, .* not enough memory\n$");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(MemoryShortageDeathTest, IsNotReportedForOtherFailures) {
  EXPECT_EXIT(
      {
        install_memory_handler();
        call_where_nothing_is_caught([] { throw std::logic_error("a mistake"); });
      },
      ::testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace heed
