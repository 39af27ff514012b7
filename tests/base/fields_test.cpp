#include "heed/base/fields.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "error_of.h"
#include "heed/base/field_text.h"

namespace heed {

enum class Colour { red, green };

template <>
struct EnumNames<Colour> {
  static constexpr NamedValue<Colour> values[] = {{Colour::red, "red"}, {Colour::green, "green"}};
};

struct Inner {
  int64_t steps = 3;
  bool loud = false;
};

struct Outer {
  Inner inner;
  std::string name = "x";
  std::optional<double> share = {};
  Colour colour = Colour::red;
  std::vector<std::string> files = {};
  int budget = 0;
  double place = 0;  // no setting
};

template <>
struct Fields<Inner> {
  static constexpr auto list =
      std::tuple(field("steps", &Inner::steps, "Steps", {.least = 1, .most = 9}),
                 field("loud", &Inner::loud, "Loud"));
};

template <>
struct Fields<Outer> {
  static constexpr auto list = std::tuple(
      field("name", &Outer::name, "Name", {.change = Change::refused}), nested(&Outer::inner),
      field("share", &Outer::share, "Share", {.least = 0, .below = 1}),
      field("colour", &Outer::colour, "Colour"), field("files", &Outer::files, "Files"),
      field("budget", &Outer::budget, "Budget", {.least = 5, .zero_is_none = true}),
      no_setting(&Outer::place));
};

// Somebody has added a field, and has not listed it.
struct Forgetful {
  int listed = 0;
  std::vector<std::string> forgotten = {};
};

template <>
struct Fields<Forgetful> {
  static constexpr auto list = std::tuple(field("listed", &Forgetful::listed, "Listed"));
};

namespace {

using heed::testing::error_of;

// visit_fields asserts it, so that such a struct does not compile.
static_assert(lists_every_field<Inner> && lists_every_field<Outer>);
static_assert(!lists_every_field<Forgetful>);

TEST(Fields, AreVisitedInTheOrderOfTheirList) {
  std::vector<std::string> seen;
  const Outer settings;
  visit_fields(settings, [&](const auto& field, const auto& value) {
    seen.push_back(fmt::format("{} {}", field.name, text_of_field(value)));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"name x", "steps 3", "loud false", "share none",
                                            "colour red", "files ", "budget 0"}));
}

TEST(Fields, CanBeSet) {
  Outer settings;
  visit_fields(settings, [](const auto& field, auto& value) {
    if constexpr (std::is_same_v<decltype(value), int64_t&>) set_field(field.name, "7", value);
    if constexpr (std::is_same_v<decltype(value), bool&>) set_field(field.name, "true", value);
    if constexpr (std::is_same_v<decltype(value), Colour&>) set_field(field.name, "green", value);
  });
  EXPECT_EQ(settings.inner.steps, 7);
  EXPECT_TRUE(settings.inner.loud);
  EXPECT_EQ(settings.colour, Colour::green);
  EXPECT_EQ(error_of([&] { set_field("colour", "blue", settings.colour); }),
            "--colour is \"blue\" but red|green was expected");
  EXPECT_EQ(error_of([&] { set_field("loud", "1", settings.inner.loud); }),
            "--loud is \"1\" but true|false was expected");
  EXPECT_EQ(error_of([&] { set_field("steps", "1.5", settings.inner.steps); }),
            "--steps is \"1.5\" but a whole number was expected");
}

TEST(Fields, HaveBounds) {
  const auto complaint = [](const auto& change) {
    Outer settings;
    change(settings);
    return error_of([&] { check_bounds(settings); });
  };
  EXPECT_EQ(complaint([](Outer&) {}), "(nothing was thrown)");
  EXPECT_EQ(complaint([](Outer& s) { s.inner.steps = 10; }),
            "--steps: 10 but a whole number from 1 to 9 was expected");
  EXPECT_EQ(complaint([](Outer& s) { s.share = 1.0; }),
            "--share: 1 but a number from 0 to less than 1 was expected");
  EXPECT_EQ(complaint([](Outer& s) { s.share = 0.5; }), "(nothing was thrown)");
  EXPECT_EQ(complaint([](Outer& s) { s.budget = 4; }),
            "--budget: 4 but a whole number of at least 5 was expected");
  EXPECT_EQ(complaint([](Outer& s) { s.budget = 5; }), "(nothing was thrown)");
}

TEST(Fields, AreTextThatIsSafeToPrint) {
  EXPECT_EQ(text_of_field(std::vector<std::string>{"a.en", "b\n.de"}), "a.en b\\x0a.de");
  EXPECT_EQ(text_of_field(std::optional<double>(0.25)), "0.25");
  EXPECT_EQ(text_of_field(1e-9), "1e-09");
  EXPECT_EQ(choices_of_field<Colour>(), "red|green");
  EXPECT_EQ(choices_of_field<bool>(), "true|false");
  EXPECT_EQ(choices_of_field<double>(), "X");
}

}  // namespace
}  // namespace heed
