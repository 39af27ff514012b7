#include "heed/app/cli/corpus_command.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/app/cli/program.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

class CorpusProgram : public ::testing::Test {
 protected:
  CorpusProgram() {
    std::string name = (fs::temp_directory_path() / "heed_corpus_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~CorpusProgram() override { fs::remove_all(folder_); }

  static Outcome run(std::vector<std::string> arguments) {
    std::ostringstream out, err;
    arguments.insert(arguments.begin(), "corpus");
    const int code =
        run_program(arguments, {out, err, TerminalStyle{.width = 40, .ink = Ink::digits}});
    return {code, out.str(), err.str()};
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

constexpr const char* table =
    "one\teins\ntwo words\tzwei Wörter\none\teins\n\tempty\n"
    "a rather long sentence that does not fit into a line\tx\n";

TEST_F(CorpusProgram, ShowsWhatACorpusHolds) {
  const Outcome result = run({"--input", put("a.tsv", table)});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "Pairs       5 read, 4 kept\n"
            "Dropped     1: 1 empty side\n"
            "Duplicates  1\n"
            "\n"
            "Lengths                  median     95 %  longest\n"
            "Source      words             1       11       11\n"
            "            characters        3       52       52\n"
            "Target      words             1        2        2\n"
            "            characters        4       11       11\n"
            "\n"
            "Samples\n"
            "  one\n"
            "  → eins\n"
            "  two words\n"
            "  → zwei Wörter\n"
            "  one\n"
            "  → eins\n"
            "  a rather long sentence that does not …\n"
            "  → x\n");
}

TEST_F(CorpusProgram, PrintsJson) {
  const Outcome result = run({"--input", put("a.tsv", table), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["read"], 5);
  EXPECT_EQ(json["kept"], 4);
  EXPECT_EQ(json["duplicates"], 1);
  EXPECT_EQ(json["dropped"]["empty_side"], 1);
  EXPECT_EQ(json["dropped"]["too_long"], 0);
  EXPECT_EQ(json["source"]["words"]["longest"], 11);
  EXPECT_EQ(json["target"]["characters"]["median"], 4);
  EXPECT_EQ(json["samples"][1]["target"], "zwei Wörter");
}

TEST_F(CorpusProgram, WritesParallelText) {
  const std::string input = put("a.jsonl",
                                "{\"en\":\"a\\nb\",\"de\":\"c\"}\n{\"en\":\"x\",\"de\":\"y\"}\n{"
                                "\"en\":\"x\",\"de\":\"y\"}\n");
  const std::vector<std::string> arguments = {
      "--input", input, "--from", "de", "--to", "en", "--output", path("out.de"), path("out.en")};
  ASSERT_EQ(run(arguments).code, 0);
  EXPECT_EQ(text("out.de"), "c\ny\ny\n");
  EXPECT_EQ(text("out.en"), "a b\nx\nx\n");
  std::vector<std::string> unique = arguments;
  unique.emplace_back("--unique");
  EXPECT_NE(run(unique).out.find("Duplicates  1, left out\n"), std::string::npos);
  EXPECT_EQ(text("out.de"), "c\ny\n");
}

TEST_F(CorpusProgram, ABadInputLeavesOldOutputAlone) {
  put("out.a", "old\n");
  const std::string bad = put("bad.po", "msgid \"a\"\nmsgstr \"b\"\nrubbish\n");
  const Outcome result = run({"--input", bad, "--output", path("out.a"), path("out.b")});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(
      result.err,
      "heed: " + bad +
          ": line 3: a keyword such as msgid or msgstr was expected but \"rubbish\" was found\n");
  EXPECT_EQ(text("out.a"), "old\n");
  EXPECT_FALSE(fs::exists(path("out.b")));
}

TEST_F(CorpusProgram, TakesOtherOptions) {
  const std::string source = put("a.en", "one\ntwo\nthree\n"), target = put("a.de", "eins\nzwei\n");
  EXPECT_EQ(run({"--input", source, target}).code, 1);
  EXPECT_EQ(run({"--input", source, target, "--truncate"}).out.substr(0, 30),
            "Pairs       2 read, 2 kept\nDup");
  const std::string table_file = put("table", "one\teins\n");
  EXPECT_EQ(run({"--input", table_file, "--format", "tsv"}).code, 0);
  const Outcome short_ones =
      run({"--input", source, target, "--truncate", "--max-characters", "2"});
  EXPECT_EQ(short_ones.code, 1);
  EXPECT_EQ(short_ones.err,
            "heed: " + source +
                " and the other files: none of the 2 sentence pairs can be used: 2 too long\n");
}

TEST_F(CorpusProgram, HarvestsInstalledMessages) {
  fs::create_directories(path("de/LC_MESSAGES"));
  put("de/LC_MESSAGES/bad.mo", "bad");
  // One message, "Yes": "Ja". The header and both tables come first.
  std::string bytes;
  for (const uint32_t word : {0x950412deu, 0u, 1u, 28u, 36u, 0u, 0u, 3u, 44u, 2u, 48u})
    bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
  bytes.append("Yes\0Ja\0", 7);
  put("de/LC_MESSAGES/good.mo", bytes);
  const Outcome result = run(
      {"--installed", "de", "--root", folder_.string(), "--output", path("en"), path("de.txt")});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "heed: " + path("de/LC_MESSAGES/bad.mo") +
                            ": is not an MO file: it has 3 bytes only\n");
  EXPECT_EQ(text("en"), "Yes\n");
  EXPECT_EQ(text("de.txt"), "Ja\n");
  EXPECT_EQ(run({"--installed", "fr", "--root", folder_.string()}).code, 1);
}

TEST_F(CorpusProgram, WhatIsNoTextIsRefusedUnlessForced) {
  const std::string file = put("a.tsv", std::string("SQLite format 3\0\none\teins\n", 26));
  EXPECT_EQ(run({"--input", file}).err, "heed: " + file +
                                            ": looks like an SQLite database, but text in UTF-8 "
                                            "was expected; --force reads it anyway\n");
  EXPECT_EQ(run({"--input", file, "--force"}).code, 0);
}

TEST_F(CorpusProgram, SaysWhyMessagesCannotBeFound) {
  EXPECT_EQ(run({"--installed", "de", "--root", path("none")}).err,
            "heed: " + path("none") + ": cannot be read: No such file or directory\n");
}

TEST_F(CorpusProgram, WrongUsageExitsWith2) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"--input", "a", "--installed", "de"},
      {"--input", "a.tsv", "--root", "/"},
      {"--input", "a.tsv", "--format", "docx"},
      {"--input", "a.tsv", "--output", "one"},
      {"--input", "a.tsv", "--output", "one", "one"},
      {"--input", "a.tsv", "--output", "one", "./one"},
      {"--input", "a.tsv", "--output", "-", "/dev/stdout"},
      {"--input", "-", "-"},
      {"--input", "a.tsv", "--max-characters", "0"},
      {"--input", "a.tsv", "--max-characters", "nan"},
      {"--input", ""},
      {"--input", "a.tsv", "--output", "", "x"},
      {"--installed", "../de"},
      {"--input", "a.tsv", "--frobnicate"},
  };
  for (const auto& arguments : cases) {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("(see heed corpus --help)"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace heed
