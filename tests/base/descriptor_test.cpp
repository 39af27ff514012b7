#include "heed/base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace heed {
namespace {

Descriptor open_nothing() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

TEST(Descriptor, IsClosedAtItsEnd) {
  int number = -1;
  {
    const Descriptor descriptor = open_nothing();
    number = descriptor.number();
    EXPECT_TRUE(descriptor.is_open());
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, BelongsToOneAtATime) {
  Descriptor first = open_nothing();
  const int number = first.number();
  Descriptor second = std::move(first);
  EXPECT_FALSE(first.is_open());
  EXPECT_EQ(second.number(), number);
  second = open_nothing();
  EXPECT_TRUE(second.is_open());
  EXPECT_NE(second.number(), number);
}

TEST(Descriptor, CanBeClosedEarly) {
  Descriptor descriptor = open_nothing();
  const int number = descriptor.number();
  EXPECT_TRUE(descriptor.close());
  EXPECT_FALSE(descriptor.is_open());
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, KeepsTheReasonOfAFailure) {
  errno = ENOSPC;
  { const Descriptor descriptor = Descriptor(); }
  { const Descriptor descriptor(12345); }  // closing it fails with another reason
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace heed
