#include "heed/app/cli/memory_shortage.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "heed/base/files.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::TemporaryFolder;

template <typename Exception>
void throw_where_nobody_can(const Exception& exception) noexcept {
  throw exception;
}

TEST(MemoryShortageDeathTest, IsToldAlsoWhereNobodyCanCatchIt) {
  const TemporaryFolder folder;
  EXPECT_EXIT(
      {
        install_memory_handler();
        OutputFile file(folder.path("file"));
        file.write("begun");
        throw_where_nobody_can(std::bad_alloc());
      },
      ::testing::ExitedWithCode(1), "^heed: not enough memory\n$");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(MemoryShortageDeathTest, IsNotWhatOtherFailuresAreTakenFor) {
  EXPECT_EXIT(
      {
        install_memory_handler();
        throw_where_nobody_can(std::logic_error("a mistake"));
      },
      ::testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace heed
