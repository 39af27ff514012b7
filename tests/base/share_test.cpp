#include "heed/base/share.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Share, PartsFollowEachOtherAndAreAlmostEqual) {
  for (int64_t elements = 0; elements < 20; ++elements)
    for (int64_t parts = 1; parts < 20; ++parts) {
      int64_t next = 0;
      for (int64_t part = 0; part < parts; ++part) {
        const Range share = share_of(elements, part, parts);
        EXPECT_EQ(share.begin, next);
        EXPECT_GE(share.size(), elements / parts);
        EXPECT_LE(share.size(), elements / parts + (elements % parts > 0));
        for (; next < share.end; ++next) EXPECT_EQ(part_with(next, elements, parts), part);
      }
      EXPECT_EQ(next, elements);
    }
}

}  // namespace
}  // namespace heed
