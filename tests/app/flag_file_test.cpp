#include "heed/app/cli/flag_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>

#include "heed/base/error.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::TemporaryFolder;
using Strings = std::vector<std::string>;

// A command with a flag of each kind, as the parser leaves it.
class Command {
 public:
  explicit Command(const Strings& arguments) {
    CLI::App& command = *program_.add_subcommand("do");
    command_ = &command;
    add_flag_file(command, print);
    command.add_option("--files", files)->required();
    command.add_option("--steps", steps)->envname("HEED_TEST_STEPS")->check(CLI::Range(1, 9));
    command.add_option("--name", name)->take_last();
    command.add_flag("--loud", loud);
    try {
      Strings reversed(arguments.rbegin(), arguments.rend());
      reversed.push_back("do");
      program_.parse(reversed);
    } catch (const CLI::ParseError& error) {
      complaint = error.what();
    }
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  std::string printed() const { return flags_as_file(*command_); }

  Strings files;
  int steps = 0;
  std::string name, complaint;
  bool loud = false, print = false;

 private:
  CLI::App program_;
  CLI::App* command_;
};

std::string complaint_about(const std::string& text) {
  try {
    parse_flags(text, "f");
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

Strings values_of(const std::string& text) {
  const std::vector<FlagOfFile> flags = parse_flags(text, "f");
  return flags.size() == 1 ? flags[0].values : Strings{"not one flag"};
}

TEST(FlagFile, HasALineForEachFlag) {
  const std::vector<FlagOfFile> flags = parse_flags(
      "# what was asked for\n\n  steps = 12 # enough\nname='a b'\r\n\tloud\t=\ttrue", "f");
  ASSERT_EQ(flags.size(), 3u);
  EXPECT_EQ(flags[0].name, "steps");
  EXPECT_EQ(flags[0].values, Strings{"12"});
  EXPECT_EQ(flags[0].line, 3);
  EXPECT_EQ(flags[1].values, Strings{"a b"});
  EXPECT_EQ(flags[2].name, "loud");
  EXPECT_EQ(flags[2].values, Strings{"true"});
  EXPECT_EQ(flags[2].line, 5);
  EXPECT_TRUE(parse_flags("", "f").empty());
}

TEST(FlagFile, HasListsThatMaySpanLines) {
  EXPECT_EQ(values_of("a = [\"b c\", d,'e']"), (Strings{"b c", "d", "e"}));
  EXPECT_EQ(values_of("a = [\n  b, # first\n  c,\n]\n"), (Strings{"b", "c"}));
  EXPECT_EQ(values_of("a = []"), Strings{});
}

TEST(FlagFile, QuotesWhatHasAMeaning) {
  EXPECT_EQ(values_of(R"(a = "\"\\\n\t\r\x1b#[,]=")"), Strings{"\"\\\n\t\r\x1b#[,]="});
  EXPECT_EQ(values_of(R"(a = '\n"#')"), Strings{"\\n\"#"});
  EXPECT_EQ(values_of("a = \"\""), Strings{""});
  EXPECT_EQ(values_of("a = \"\xff\""), Strings{"\xff"});
}

TEST(FlagFile, SaysWhereItIsNotUnderstood) {
  EXPECT_EQ(complaint_about("\nnonsense"),
            "f:2: \"nonsense\" but a line such as steps = 1000 was expected");
  EXPECT_EQ(complaint_about("[train]"),
            "f:1: \"[train]\" but a line such as steps = 1000 was expected");
  EXPECT_EQ(complaint_about("= 3"), "f:1: \"= 3\" but a line such as steps = 1000 was expected");
  EXPECT_EQ(complaint_about("a ="), "f:1: \"\" but a value was expected");
  EXPECT_EQ(complaint_about("a = b c"), "f:1: \"c\" but the end of the line was expected");
  EXPECT_EQ(complaint_about("a = [b c]"), "f:1: \"c]\" but \",\" or \"]\" was expected");
  EXPECT_EQ(complaint_about("a = [b,\n"), "f:2: \"\" but a value was expected");
  EXPECT_EQ(complaint_about("a = \"b\n"), "f:1: the closing quotation mark is missing");
  EXPECT_EQ(complaint_about("a = 'b"), "f:1: the closing quotation mark is missing");
  EXPECT_EQ(complaint_about("a = \"\\q\""),
            "f:1: \"q\"\" but n, r, t, x, \" or \\ after \\ was expected");
  EXPECT_EQ(complaint_about("a = \"\\x1\""),
            "f:1: \"x1\"\" but two hexadecimal digits after \\x was expected");
  EXPECT_EQ(complaint_about("a = \"\\"),
            "f:1: \"\" but n, r, t, x, \" or \\ after \\ was expected");
  EXPECT_EQ(complaint_about("a = 1\nb = 2\na = 1"), "f:3: \"a\" is given twice");
}

TEST(FlagFile, IsTakenForFlags) {
  const TemporaryFolder folder;
  const std::string file =
      folder.put("f", "files = [\"a b\", c]\nsteps = 3\nloud = true\nname = x\n");
  const Command command({"--config", file});
  EXPECT_EQ(command.complaint, "");
  EXPECT_EQ(command.files, (Strings{"a b", "c"}));
  EXPECT_EQ(command.steps, 3);
  EXPECT_TRUE(command.loud);
  EXPECT_EQ(command.name, "x");
}

TEST(FlagFile, ComesAfterTheEnvironmentAndThatAfterTheCommandLine) {
  const TemporaryFolder folder;
  const std::string file = folder.put("f", "files = [a, b]\nsteps = 3\nloud = true\n");
  EXPECT_EQ(Command({"--config", file, "--files", "c", "--loud=false"}).files, Strings{"c"});
  EXPECT_FALSE(Command({"--files", "c", "--loud=false", "--config", file}).loud);
  ::setenv("HEED_TEST_STEPS", "5", 1);
  EXPECT_EQ(Command({"--config", file}).steps, 5);
  EXPECT_EQ(Command({"--config", file, "--steps", "7"}).steps, 7);
  ::unsetenv("HEED_TEST_STEPS");
  EXPECT_EQ(Command({"--config", file}).steps, 3);
}

TEST(FlagFile, MustNameFlagsThatThereAre) {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& line) {
    const std::string file = folder.put("f", "files = a\n" + line);
    const std::string said = Command({"--config", file}).complaint;
    EXPECT_TRUE(said.starts_with(file)) << said;
    return said.substr(std::min(said.size(), file.size()));
  };
  EXPECT_EQ(complaint("bogus = 1"), ":2: unknown flag \"--bogus\"");
  for (const std::string name : {"config", "print-config", "help"})
    EXPECT_EQ(complaint(name + " = 1"), ":2: unknown flag \"--" + name + "\"");
  EXPECT_EQ(complaint("steps = [1, 2]"), ":2: --steps: 2 values but 1 expected");
  EXPECT_EQ(complaint("loud = 3"), ":2: --loud: \"3\" but true or false was expected");
  EXPECT_NE(complaint("steps = 0").find(":2: --steps: "), std::string::npos);
}

TEST(FlagFile, MustBeThere) { EXPECT_THROW(Command({"--config", "/no/such/file"}), Error); }

TEST(FlagFile, IsPrintedSoThatItReadsTheSame) {
  const TemporaryFolder folder;
  const Strings awkward = {"a b", "#",    "[c",  "d,e",  "f=\"g\"", "'h'",
                           "\\",  "\xff", "1e3", "true", "ü",       "\n"};
  Strings arguments = {"--steps", "3", "--loud", "--name", "\"'#\\ "};
  arguments.push_back("--files");
  arguments.insert(arguments.end(), awkward.begin(), awkward.end());
  const Command given(arguments);
  ASSERT_EQ(given.complaint, "");
  const Command again({"--config", folder.put("f", given.printed())});
  EXPECT_EQ(again.complaint, "");
  EXPECT_EQ(again.files, awkward);
  EXPECT_EQ(again.name, given.name);
  EXPECT_EQ(again.printed(), given.printed());
}

TEST(FlagFile, CanBePrintedInParts) {
  const Command command({"--print-config", "--steps", "4"});
  EXPECT_EQ(command.complaint, "");
  EXPECT_TRUE(command.print);
  EXPECT_EQ(command.printed(), "steps = 4\n");
  EXPECT_EQ(Command({"--steps", "4"}).complaint, "--files is required");
}

}  // namespace
}  // namespace heed
