#include "heed/base/error.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "error_of.h"

namespace heed {
namespace {

// Counts how often it is formatted.
struct Counted {
  int* times;
};

}  // namespace
}  // namespace heed

template <>
struct fmt::formatter<heed::Counted> : fmt::formatter<int> {
  auto format(const heed::Counted& counted, fmt::format_context& context) const {
    return fmt::formatter<int>::format(++*counted.times, context);
  }
};

namespace heed {
namespace {

using testing::error_of;

TEST(Error, IsARuntimeErrorThatSaysItsSentence) {
  const Error error("attend: query width 64 but key width 32");
  EXPECT_STREQ(static_cast<const std::runtime_error&>(error).what(),
               "attend: query width 64 but key width 32");
}

TEST(Error, FailFormatsTheSentence) {
  EXPECT_EQ(error_of([] { fail("{}: query width {} but key width {}", "attend", 64, 32); }),
            "attend: query width 64 but key width 32");
}

TEST(Error, RequireThrowsOnlyWhenTheConditionFails) {
  EXPECT_NO_THROW(require(true, "never said"));
  EXPECT_EQ(error_of([] { require(false, "slice: [{}, {})", 3, 2); }), "slice: [3, 2)");
}

TEST(Error, RequireMakesNoTextWhenTheConditionHolds) {
  int times = 0;
  require(true, "{}", Counted{&times});
  EXPECT_EQ(times, 0);
  EXPECT_EQ(error_of([&] { require(false, "time {}", Counted{&times}); }), "time 1");
}

}  // namespace
}  // namespace heed
