#include "heed/app/cli/evaluate_command.h"

#include "compress.h"
#include "program_test.h"

namespace heed {
namespace {

using testing::Outcome;

class EvaluateCommandTest : public testing::ProgramTest {
 protected:
  EvaluateCommandTest() {
    write("out", "Das ist ein Haus.\nJa\r\n");
    write("test", "Das ist ein Haus.\nja");
  }

  Outcome evaluate(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"evaluate", "--hypothesis", path("out"), "--reference",
                                          path("test")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(EvaluateCommandTest, PrintsScoresWithTheirSignatures) {
  const Outcome result = evaluate({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 95.54 "
            "83.3/100.0/100.0/100.0 (BP = "
            "1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)\n"
            "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 97.77\n");
}

TEST_F(EvaluateCommandTest, TakesItsFlags) {
  EXPECT_EQ(evaluate({"--metrics", "accuracy", "--lowercase"}).out,
            "accuracy|nrefs:1|case:lc = 100.00 (2 of 2)\n");
  EXPECT_EQ(evaluate({"--metrics", "ter,accuracy", "--sentence"}).out,
            "0.00\t100.00\n0.00\t0.00\n");
  EXPECT_EQ(evaluate({"--metrics", "bleu", "--tokenise", "char", "--lowercase", "--json"}).out,
            "{\"bleu\":{\"score\":100.00000000000004,\"signature\":\"nrefs:1|case:lc|eff:no|tok:"
            "char|smooth:exp|"
            "version:2.6.0\"}}\n");
  EXPECT_EQ(evaluate({"--reference", path("out"), "--metrics", "accuracy"}).out,
            "accuracy|nrefs:2|case:mixed = 100.00 (2 of 2)\n");
}

TEST_F(EvaluateCommandTest, ComparesSystems) {
  write("better", "Das ist ein Haus.\nja\n");
  const Outcome result =
      evaluate({"--hypothesis", path("better"), "--metrics", "accuracy", "--bootstrap", "100"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with(
      path("out") + "\n  accuracy|nrefs:1|case:mixed = 50.00 (1 of 2)\n\n" + path("better") +
      "\n  accuracy|nrefs:1|case:mixed = 100.00 (2 of 2)\n    100.00 ± 0.00 against "))
      << result.out;
  EXPECT_NE(result.out.find(": p = 0."), std::string::npos) << result.out;
  const Outcome json =
      evaluate({"--hypothesis", path("better"), "--metrics", "accuracy", "--json"});
  EXPECT_TRUE(json.out.starts_with("{\"systems\":[{\"name\":")) << json.out;
  EXPECT_NE(json.out.find("\"p_value\":0."), std::string::npos) << json.out;
  EXPECT_EQ(evaluate({"--hypothesis", path("better"), "--sentence"}).code, 2);
  EXPECT_EQ(evaluate({"--bootstrap", "10"}).code, 2);
}

TEST_F(EvaluateCommandTest, BrokenTextIsSaid) {
  write("out", "Das ist ein Haus.\nj\xFF\n");
  const Outcome result = evaluate({"--metrics", "accuracy"});
  EXPECT_EQ(result.out, "accuracy|nrefs:1|case:mixed = 50.00 (1 of 2)\n");
  EXPECT_EQ(result.err, "heed: " + path("out") +
                            ": 1 of 2 lines are not UTF-8; invalid bytes count as U+FFFD\n");
}

TEST_F(EvaluateCommandTest, ReadsWhatOthersReadAsWell) {
  const std::string expected = evaluate({}).out, test = "Das ist ein Haus.\nja";
  write("test.gz", testing::gzipped(test));
  EXPECT_EQ(run({"evaluate", "--hypothesis", path("out"), "--reference", path("test.gz")}).out,
            expected);
  EXPECT_EQ(
      run({"evaluate", "--hypothesis", path("out"), "--reference", "-"}, "\xEF\xBB\xBF" + test).out,
      expected);
  const Outcome twice = run({"evaluate", "--hypothesis", "-", "--reference", "-"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_EQ(twice.err,
            "heed: --reference: standard input can be read only once, and it is for --hypothesis "
            "(see heed evaluate --help)\n");
  EXPECT_EQ(run({"evaluate", "--hypothesis", "-", "--reference", path("test")}, "one line").err,
            "heed: " + path("test") + ": 2 lines but standard input has 1\n");
}

TEST_F(EvaluateCommandTest, WhatIsNoTextIsRefusedUnlessForced) {
  write("test", std::string("GIF89a\x10\0\x10\0\n\0\0\0", 14));
  EXPECT_EQ(evaluate({}).code, 1);
  EXPECT_EQ(evaluate({"--force"}).code, 0);
}

TEST_F(EvaluateCommandTest, FilesThatDoNotFitExitWith1) {
  write("out", "one line\n");
  EXPECT_EQ(evaluate({}).code, 1);
  EXPECT_EQ(evaluate({}).err,
            "heed: " + path("test") + ": 2 lines but " + path("out") + " has 1\n");
  write("out", "");
  EXPECT_EQ(evaluate({}).err, "heed: " + path("out") + ": has no lines\n");
  std::filesystem::remove(path("out"));
  EXPECT_EQ(evaluate({}).err,
            "heed: " + path("out") + ": cannot be read: No such file or directory\n");
}

TEST_F(EvaluateCommandTest, JudgesLinks) {
  write("links", "0-0 1-1 1-2\n\n0-1\n");
  write("gold", "1-1 2p2\n1-1\n1-2 2p1\n");
  const std::vector<std::string> judge = {
      "evaluate", "--links", path("links"), "--gold", path("gold"), "--first-word", "1"};
  // 4 links, of which 2 are sure and 3 possible; 3 sure ones: 1 - (2 + 3) / (4 + 3).
  const Outcome result = run(judge);
  EXPECT_EQ(result.out, "AER 28.6  precision 75.0  recall 66.7  (4 links, 3 sure)\n");
  EXPECT_EQ(result.err, "");
  std::vector<std::string> as_json = judge;
  as_json.push_back("--json");
  EXPECT_EQ(run(as_json).out.rfind("{\"aer\":0.2857142857142857,\"precision\":0.75,", 0), 0u);
}

TEST_F(EvaluateCommandTest, SaysWhatIsWrongWithLinks) {
  write("links", "0-0\n");
  write("gold", "0-0\n1-x\n");
  const std::vector<std::string> judge = {"evaluate", "--links", path("links"), "--gold",
                                          path("gold")};
  EXPECT_EQ(run(judge).code, 1);
  EXPECT_EQ(run(judge).err,
            "heed: " + path("links") + " has 1 lines, but " + path("gold") + " has 2\n");
  write("links", "0-0\n0-0\n");
  EXPECT_EQ(run(judge).err.rfind("heed: " + path("gold") + ": line 2: \"1-x\" is no link", 0), 0u);
  write("links", "");
  write("gold", "");
  EXPECT_EQ(run(judge).code, 1);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--links", path("links")},
        {"--gold", path("gold")},
        {"--links", path("links"), "--gold", path("gold"), "--first-word", "2"},
        {"--links", path("links"), "--gold", path("gold"), "--hypothesis", path("out")},
        {"--links", path("links"), "--gold", path("gold"), "--sentence"},
        {"--links", "-", "--gold", "-"},
        {"--first-word", "1"}}) {
    std::vector<std::string> arguments = {"evaluate"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(arguments).code, 2) << wrong[0];
  }
}

TEST_F(EvaluateCommandTest, SaysWhatWasExpected) {
  EXPECT_EQ(evaluate({"--metrics", "blue"}).err,
            "heed: --metrics: \"blue\" but one of bleu, chrf, chrf++, ter, accuracy was expected "
            "(see heed evaluate --help)\n");
  EXPECT_EQ(
      evaluate({"--reference", ""}).err,
      "heed: --reference: \"\" but the name of a file was expected (see heed evaluate --help)\n");
}

TEST_F(EvaluateCommandTest, WrongUsageExitsWith2) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--metrics", "blue"},
                                               {"--metrics", ""},
                                               {"--metrics", ",bleu"},
                                               {"--metrics", "bleu,"},
                                               {"--reference", ""},
                                               {"--hypothesis", path("test"), "--seed", "-1"},
                                               {"--hypothesis", path("test"), "--bootstrap", "nan"},
                                               {"--tokenise", "14b"},
                                               {"--sentences"},
                                               {"more"}}) {
    EXPECT_EQ(evaluate(more).code, 2) << more[0];
    EXPECT_EQ(evaluate(more).out, "");
  }
  EXPECT_EQ(run({"evaluate", "--hypothesis", path("out")}).code, 2);
  EXPECT_EQ(run({"evaluate", "--reference", path("out")}).code, 2);
}

}  // namespace
}  // namespace heed
