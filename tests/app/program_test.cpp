#include "heed/app/cli/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/base/text.h"
#include "heed/weights/tensor_file.h"
#include "paths.h"
#include "program_test.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

using testing::Outcome;

// The first words of the lines after "Subcommands:", up to an empty one.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> found;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  std::string line, word;
  for (std::getline(lines, line); std::getline(lines, line) && !line.empty();)
    if (std::istringstream(line) >> word) found.push_back(word);
  return found;
}

class Program : public testing::ProgramTest {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::vector<std::string> commands() const { return commands_in(run({"--help"}).out); }

  // The flags in its help.
  std::vector<std::string> flags_of(const std::string& command) const {
    std::vector<std::string> found;
    std::istringstream lines(run({command, "--help"}).out);
    for (std::string line, flag; std::getline(lines, line);)
      if (line.starts_with("  --") && std::istringstream(line) >> flag) found.push_back(flag);
    return found;
  }
};

TEST_F(Program, SaysWhatItIs) {
  EXPECT_EQ(run({"--version"}).out.substr(0, 5), "heed ");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"attend", "--help"}}) {
    const Outcome help = run(arguments);
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("attend"), std::string::npos);
  }
}

TEST_F(Program, HelpFitsInto100Columns) {
  const std::vector<std::string> all = commands();
  EXPECT_GT(all.size(), 5u);
  for (const std::string& command : all) {
    std::istringstream lines(run({command, "--help"}).out);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), 100) << command << ": " << line;
  }
}

TEST_F(Program, WrongUsageExitsWith2) {
  const std::vector<std::vector<std::string>> cases = {
      {"attention"},
      {"attend"},
      {"attend", "--input", "x"},
      {"attend", "--input", "x", "--show", "--score", "best"},
      {"attend", "--input", "x", "--show", "--mask", "window"},
      {"attend", "--input", "x", "--show", "--mask", "window:"},
      {"attend", "--input", "x", "--show", "--mask", "window:-1"},
      {"attend", "--input", "x", "--show", "--mask", "window:1x"},
      {"attend", "--input", "x", "--show", "--mask", "window:99999999999999999999"},
      {"attend", "--input", "x", "--show", "--heads", "0"},
      {"attend", "--input", "x", "--show", "--heads", "two"},
      {"attend", "--input", "x", "--show", "--no-weights"},
      {"attend", "--input", "x", "--show", "--frobnicate"},
      {"attend", "--input", "x", "--show", "extra"},
      {"attend", "--input", "--show"},
  };
  for (const auto& arguments : cases) {
    const Outcome result = run(arguments);
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    EXPECT_EQ(result.code, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_EQ(result.err.rfind("heed: ", 0), 0u) << line << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << line << result.err;
  }
}

TEST_F(Program, WrongUsagePointsToTheHelpOfItsCommand) {
  EXPECT_EQ(run({"foo"}).err, "heed: unknown command \"foo\" (see heed --help)\n");
  EXPECT_EQ(run({"foo", "--input", "x"}).err, "heed: unknown command \"foo\" (see heed --help)\n");
  EXPECT_EQ(run({"attend"}).err, "heed: --input is required (see heed attend --help)\n");
  // Rather than that the flag is missing that was meant.
  EXPECT_EQ(run({"translate", "--modle", "en-de"}).err,
            "heed: there is no flag \"--modle\" (see heed translate --help)\n");
  EXPECT_EQ(run({"convert"}).err, "heed: FROM is required (see heed convert --help)\n");
  EXPECT_EQ(run({"--foo"}).err, "heed: there is no flag \"--foo\" (see heed --help)\n");
  EXPECT_EQ(run({"translate", "--beam"}).err,
            "heed: --beam: a value was expected (see heed translate --help)\n");
  EXPECT_EQ(run({"attend", "--score", "best"}).err,
            "heed: --score: \"best\" but dot, scaled-dot, bilinear, additive, cosine or gaussian "
            "was expected (see heed attend --help)\n");
}

TEST_F(Program, AloneItListsItsCommands) {
  const Outcome result = run({});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  for (const std::string& command : commands())
    EXPECT_NE(result.err.find("\n  " + command + " "), std::string::npos) << result.err;
}

// Whatever is wrong with the value of a flag, there is one printable sentence. A value that may be
// a name, such as a file's, is not wrong usage.
TEST_F(Program, EveryFlagRefusesNonsenseInOneSentence) {
  int flags = 0;
  for (const std::string& command : commands())
    for (const std::string& flag : flags_of(command)) {
      ++flags;
      for (const char* value :
           {"", "nan", "-1", "1e999", "a\033[31mb", "99999999999999999999", "0x10"}) {
        // Any name will do, and the command would run.
        const bool takes_any_name = flag == "--svg" || flag == "--example" || flag == "--man" ||
                                    flag == "--markdown" ||
                                    (command == "demo" && flag == "--model");
        if (takes_any_name && *value != '\0') continue;
        const Outcome result = run({command, flag, value});
        const bool is_name = result.err.find("cannot be read") != std::string::npos ||
                             result.err.find("there is no such folder") != std::string::npos ||
                             command == "corpus" || command == "align";
        EXPECT_TRUE(result.code == 2 || (result.code == 1 && is_name && *value != '\0'))
            << command << " " << flag << " " << value << ": " << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(result.err.rfind("heed: ", 0), 0u) << result.err;
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
        for (const char* odd : {"\033", "FAILED", "1.79", "e+308", "->", "std::"})
          EXPECT_EQ(result.err.find(odd), std::string::npos) << result.err;
      }
    }
  EXPECT_GT(flags, 100);
}

// As an unset variable of a shell gives.
TEST_F(Program, AFolderWithoutANameIsWrongUsage) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"convert", "", "x"}, {"convert", "x", ""}, {"inspect", ""}})
    EXPECT_EQ(run(arguments).code, 2) << arguments[0];
  EXPECT_EQ(
      run({"translate", "--model", ""}).err,
      "heed: --model: \"\" but the name of a folder was expected (see heed translate --help)\n");
}

TEST_F(Program, ABadFileExitsWith1AndLeavesNothing) {
  const Outcome missing = run({"attend", "--input", path("none"), "--output", path("out")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err, "heed: " + path("none") + ": cannot be read: No such file or directory\n");
  std::ofstream(path("bad")) << "not a tensor file";
  EXPECT_EQ(
      run({"attend", "--input", path("bad"), "--output", path("out"), "--svg", path("svg")}).code,
      1);
  EXPECT_EQ(names(), std::vector<std::string>{"bad"});
}

TEST_F(Program, WritesEverythingOfTheExample) {
  ASSERT_EQ(run({"attend", "--example", path("in")}).code, 0);
  const Outcome result = run({"attend", "--input", path("in"), "--output", path("out"), "--score",
                              "dot", "--svg", path("svg")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
  const TensorFile file = TensorFile::open(path("out"));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"keys.gradient", "output", "queries.gradient",
                                                    "values.gradient", "weights"}));
  EXPECT_EQ(file.shape("output"), (Shape{2, 4, 2}));
  EXPECT_EQ(file.shape("weights"), (Shape{2, 4, 8}));
  std::ifstream svg(path("svg"));
  EXPECT_NE(std::string(std::istreambuf_iterator<char>(svg), {}).find("</svg>"), std::string::npos);
}

TEST_F(Program, TheHelpAndItsPageShowWhatTheExamplePrints) {
  ASSERT_EQ(run({"attend", "--example", path("in")}).code, 0);
  std::ostringstream out, err;
  ASSERT_EQ(run_program({"attend", "--input", path("in"), "--output", path("out"), "--score", "dot",
                         "--show"},
                        {out, err, TerminalStyle{.width = 80, .ink = Ink::shades}}),
            0)
      << err.str();
  std::ifstream file(std::string(testing::source_folder) + "/../docs/commands/attend.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(page.find("\n" + out.str() + "```"), std::string::npos) << out.str();
  std::string indented;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);)
    indented += line.empty() ? "\n" : "  " + line + "\n";
  EXPECT_NE(run({"attend", "--help"}).out.find(indented), std::string::npos) << indented;
}

TEST_F(Program, UnusedArraysAreMentioned) {
  TensorFileWriter writer;
  for (const char* name : {"queries", "keys", "values", "valid_length"})
    writer.add(name, Tensor::zeros({2, 2}));
  writer.save(path("in"));
  const Outcome result = run({"attend", "--input", path("in"), "--show"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "heed: " + path("in") + ": array \"valid_length\" is not used\n");
  EXPECT_NE(result.out.find("Queries"), std::string::npos);
}

TEST_F(Program, AFileThatCannotBeWrittenExitsWith1) {
  ASSERT_EQ(run({"attend", "--example", path("in")}).code, 0);
  const Outcome result = run({"attend", "--input", path("in"), "--output", path("no/such/folder")});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "heed: " + path("no/such/folder") + ": cannot be written: No such file or directory\n");
  EXPECT_EQ(names(), std::vector<std::string>{"in"});
}

TEST_F(Program, AClosedOutputExitsWith1) {
  ASSERT_EQ(run({"attend", "--example", path("in")}).code, 0);
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(run_program({"attend", "--input", path("in"), "--show"}, {out, err, {}}), 1);
  EXPECT_EQ(err.str(), "heed: standard output cannot be written\n");
}

TEST_F(Program, MasksCombine) {
  ASSERT_EQ(run({"attend", "--example", path("in")}).code, 0);
  const Outcome result = run({"attend", "--input", path("in"), "--output", path("out"), "--mask",
                              "causal", "--mask", "window:0"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Tensor weights = TensorFile::open(path("out")).read("weights", Type::float32);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 8; ++j) EXPECT_EQ(weights[i * 8 + j], i == j ? 1 : 0);
}

}  // namespace
}  // namespace heed
