#include "heed/base/error_place.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_kind_of;
using testing::error_of;

TEST(ErrorPlace, BeginsTheSentenceOfAnErrorWhichKeepsItsKind) {
  const auto failing = [] {
    with_place("links", [] { with_place("line 3", [] { fail(ErrorKind::usage, "no link"); }); });
  };
  EXPECT_EQ(error_of(failing), "links: line 3: no link");
  EXPECT_EQ(error_kind_of(failing), ErrorKind::usage);
}

TEST(ErrorPlace, GivesWhatIsReturned) {
  int number = 3;
  int& same = with_place("links", [&]() -> int& { return number; });
  EXPECT_EQ(&same, &number);
}

}  // namespace
}  // namespace heed
