#include "heed/app/manual/manual.h"

#include <gtest/gtest.h>

#include "manual_test.h"

namespace heed {
namespace {

using Names = std::vector<std::string>;

const FlagManual& flag_named(const CommandManual& command, const std::string& name) {
  for (const FlagManual& flag : command.flags)
    if (flag.names.back() == name) return flag;
  throw std::out_of_range(name);
}

TEST(Manual, HasWhatTheParserKnows) {
  const ProgramManual manual = testing::SmallProgram().manual();
  EXPECT_EQ(manual.name, "small");
  EXPECT_EQ(manual.description, "a program");
  EXPECT_EQ(manual.version, "1.2");
  ASSERT_EQ(manual.commands.size(), 1u);  // and none that is hidden
  const CommandManual& bake = manual.commands[0];
  EXPECT_EQ(bake.name, "bake");
  Names names;
  for (const FlagManual& flag : bake.flags) names.push_back(flag.names.back());
  // Positional arguments first, then the groups; what is hidden stays hidden.
  EXPECT_EQ(names, (Names{"FROM", "--help", "--files", "--form", "--into", "--log", "--pair",
                          "--quiet", "--late", "--minutes"}));
}

TEST(Manual, KnowsWhatFlagsTake) {
  const ProgramManual manual = testing::SmallProgram().manual();
  const CommandManual& bake = manual.commands[0];
  const auto kind = [&](const char* name) { return flag_named(bake, name).kind; };
  EXPECT_EQ(kind("FROM"), ValueKind::folder);
  EXPECT_EQ(kind("--files"), ValueKind::file);
  EXPECT_EQ(kind("--form"), ValueKind::choice);
  EXPECT_EQ(kind("--into"), ValueKind::folder);
  EXPECT_EQ(kind("--quiet"), ValueKind::none);
  EXPECT_EQ(kind("--minutes"), ValueKind::any);
  EXPECT_EQ(flag_named(bake, "--form").choices, (Names{"round", "long:", "10%"}));
  EXPECT_GT(flag_named(bake, "--files").most_values, many_values);
  EXPECT_TRUE(flag_named(bake, "--files").is_repeatable);
  EXPECT_EQ(flag_named(bake, "--pair").most_values, 2);
  EXPECT_EQ(flag_named(bake, "--into").most_values, 1);
  EXPECT_FALSE(flag_named(bake, "--into").is_repeatable);
  EXPECT_EQ(flag_named(bake, "--quiet").most_values, 0);
  EXPECT_EQ(kind("--log"), ValueKind::file);
  EXPECT_EQ(flag_named(bake, "--log").most_values, 1);
  EXPECT_TRUE(flag_named(bake, "--log").value_is_optional);
  for (const char* name : {"--quiet", "--into", "--files"})
    EXPECT_FALSE(flag_named(bake, name).value_is_optional) << name;
}

TEST(Manual, SaysItInSentences) {
  const ProgramManual manual = testing::SmallProgram().manual();
  const CommandManual& bake = manual.commands[0];
  EXPECT_EQ(usage_of(manual, bake), "small bake --into FOLDER [OPTIONS] FROM");
  EXPECT_EQ(heading_of(flag_named(bake, "--files")), "--files FILES...");
  EXPECT_EQ(heading_of(flag_named(bake, "--quiet")), "-q, --quiet");
  EXPECT_EQ(heading_of(flag_named(bake, "FROM")), "FROM");
  EXPECT_EQ(heading_of(flag_named(bake, "--log")), "--log [FILE]");
  // What it is without a value is no default.
  EXPECT_EQ(details_of(flag_named(bake, "--log")), "What happened.");
  EXPECT_EQ(details_of(flag_named(bake, "--into")), "Where it goes. Required.");
  EXPECT_EQ(details_of(flag_named(bake, "--quiet")), "Say nothing. Not with --form or --pair.");
  EXPECT_EQ(details_of(flag_named(bake, "--minutes")),
            "Time in the oven. Default: 40. The environment variable OVEN does the same. "
            "Needs --form.");
}

}  // namespace
}  // namespace heed
