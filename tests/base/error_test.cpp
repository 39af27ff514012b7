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

using testing::error_kind_of;
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

TEST(Error, HasAKind) {
  EXPECT_EQ(error_kind_of([] { fail("a sentence"); }), ErrorKind::input);
  EXPECT_EQ(error_kind_of([] { fail(ErrorKind::system, "a {}", "sentence"); }), ErrorKind::system);
  EXPECT_EQ(error_kind_of([] { require(false, "a sentence"); }), ErrorKind::input);
  EXPECT_EQ(error_kind_of([] { require(false, ErrorKind::usage, "{}", 1); }), ErrorKind::usage);
  EXPECT_NO_THROW(require(true, ErrorKind::usage, "never said"));
}

TEST(Error, BecomesOneOfAnotherKindOnlyWhereItIsAboutTheInput) {
  const auto rethrown = [](ErrorKind kind) {
    return error_kind_of(
        [&] { with_error_kind(ErrorKind::model, [&] { fail(kind, "a sentence"); }); });
  };
  EXPECT_EQ(rethrown(ErrorKind::input), ErrorKind::model);
  EXPECT_EQ(rethrown(ErrorKind::system), ErrorKind::system);
  EXPECT_EQ(error_of([] { with_error_kind(ErrorKind::model, [] { fail("a sentence"); }); }),
            "a sentence");
  EXPECT_EQ(with_error_kind(ErrorKind::model, [] { return 3; }), 3);
}

}  // namespace
}  // namespace heed
