#include "heed/base/lock_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;

TEST(LockFile, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  {
    const std::optional<LockFile> lock = LockFile::hold(folder.path("lock"));
    ASSERT_TRUE(lock.has_value());
    EXPECT_FALSE(LockFile::hold(folder.path("lock")).has_value());
    EXPECT_TRUE(LockFile::hold(folder.path("other")).has_value());
  }
  EXPECT_TRUE(LockFile::hold(folder.path("lock")).has_value());
}

TEST(LockFile, GoesWhereItIsMoved) {
  const TemporaryFolder folder;
  std::optional<LockFile> lock = LockFile::hold(folder.path("lock"));
  {
    const LockFile moved = std::move(*lock);
    lock.reset();
    EXPECT_FALSE(LockFile::hold(folder.path("lock")).has_value());
  }
  EXPECT_TRUE(LockFile::hold(folder.path("lock")).has_value());
}

TEST(LockFile, IsLetGoWhenTheProgramIsKilled) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::optional<LockFile> lock = LockFile::hold(folder.path("lock"));
    const char sign = lock ? '1' : '0';
    if (::write(ready[1], &sign, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char sign = '0';
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  EXPECT_EQ(sign, '1');
  EXPECT_FALSE(LockFile::hold(folder.path("lock")).has_value());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(LockFile::hold(folder.path("lock")).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(LockFile, SaysWhyItCannotBeMade) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { LockFile::hold(folder.path("absent/lock")); }),
            folder.path("absent/lock") + ": cannot be written: No such file or directory");
}

}  // namespace
}  // namespace heed
