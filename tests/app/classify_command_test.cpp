#include "heed/app/cli/classify_command.h"

#include <algorithm>
#include <cmath>

#include "heed/base/json.h"
#include "program_test.h"
#include "small_classifier.h"

namespace heed {
namespace {

using testing::Outcome;

class ClassifyCommandTest : public testing::ProgramTest {
 protected:
  ClassifyCommandTest() {
    testing::put_classifier(path("one"), TextPooling::attention);
    testing::put_classifier(path("several"), TextPooling::mean, true);
  }

  Outcome classify(const std::vector<std::string>& more, const std::string& input = "",
                   const std::string& model = "one") const {
    std::vector<std::string> arguments = {"classify", "--model", path(model)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input);
  }

  // The labels that the model gives these texts, for files of labelled texts.
  std::vector<std::string> given(const std::string& texts) const {
    std::vector<std::string> labels;
    std::istringstream lines(classify({}, texts).out);
    for (std::string line; std::getline(lines, line);)
      labels.push_back(line.substr(0, line.find('\t')));
    return labels;
  }
};

TEST_F(ClassifyCommandTest, WritesALineForEachLine) {
  const Outcome result = classify({}, "the playing\n\na");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
  EXPECT_EQ(std::ranges::count(result.out, '\t'), 3);
  EXPECT_EQ(std::ranges::count(classify({"--top", "2"}, "the\n").out, '\t'), 3);
  EXPECT_EQ(std::ranges::count(classify({"--top", "9"}, "the\n").out, '\t'), 5);
}

TEST_F(ClassifyCommandTest, WritesAnObjectForEachLine) {
  const Outcome result = classify({"--json", "--words"}, "the playing\n");
  EXPECT_EQ(result.code, 0) << result.err;
  const JsonValue json = JsonValue::parse(result.out);
  ASSERT_EQ(json["scores"].size(), 3u);
  EXPECT_EQ(json["label"], json["scores"][0]["label"]);
  EXPECT_EQ(json["probability"], json["scores"][0]["probability"]);
  EXPECT_GE(json["scores"][0]["probability"], json["scores"][1]["probability"]);
  double sum = 0;
  for (const JsonValue& score : json["scores"]) sum += score["probability"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  ASSERT_EQ(json["words"].size(), 2u);
  EXPECT_EQ(json["words"][1]["word"], "playing");
  EXPECT_NEAR(json["words"][1]["weight"].get<double>(), 0.4, 1e-6);
  EXPECT_EQ(JsonValue::parse(classify({"--json", "--top", "1"}, "the\n").out)["scores"].size(), 1u);
  EXPECT_NE(classify({"--words"}, "the playing\n").out.find("\tplaying:0.400 the:0.200\n"),
            std::string::npos);
}

TEST_F(ClassifyCommandTest, OfSeveralLabelsWritesAllThatATextHas) {
  const Outcome result = classify({"--json"}, "the playing\na\n", "several");
  EXPECT_EQ(result.code, 0) << result.err;
  const JsonValue json = JsonValue::parse(result.out.substr(0, result.out.find('\n')));
  EXPECT_FALSE(json.contains("label"));
  size_t likely = 0;
  for (const JsonValue& score : json["scores"]) likely += score["probability"].get<double>() >= 0.5;
  EXPECT_EQ(json["labels"].size(), likely);
}

TEST_F(ClassifyCommandTest, TheSameBytesOnAnyNumberOfThreads) {
  std::string texts;
  for (int i = 0; i < 300; ++i) texts += i % 3 == 0 ? "the playing\n" : "a naive , ab\n";
  const std::string one = classify({"--json", "--words", "--threads", "1"}, texts).out;
  EXPECT_EQ(std::ranges::count(one, '\n'), 300);
  for (const char* threads : {"2", "4"})
    EXPECT_EQ(classify({"--json", "--words", "--threads", threads}, texts).out, one);
}

TEST_F(ClassifyCommandTest, MeasuresWithLabelledTexts) {
  const std::vector<std::string> labels = given("the\nplaying\n");
  const std::string other = labels[1] == "good" ? "bad" : "good";
  write("test.tsv", labels[0] + "\tthe\n" + other + "\tplaying\n");
  const Outcome result = classify({"--labelled", path("test.tsv"), "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const JsonValue json = JsonValue::parse(result.out);
  EXPECT_EQ(json["texts"], 2);
  EXPECT_EQ(json["accuracy"], 0.5);
  EXPECT_EQ(json["labels"].size(), 3u);
  EXPECT_EQ(json["labels"][0]["label"], "good");
  ASSERT_EQ(json["confusion"].size(), 3u);
  int64_t all = 0;
  for (const JsonValue& row : json["confusion"])
    for (const JsonValue& count : row) all += count.get<int64_t>();
  EXPECT_EQ(all, 2);
  const std::string plain = classify({"--labelled", path("test.tsv")}).out;
  EXPECT_NE(plain.find("accuracy   0.5000\n"), std::string::npos) << plain;
  EXPECT_EQ(classify({"--labelled", "-"}, labels[0] + "\tthe\n" + other + "\tplaying\n").out,
            plain);
}

TEST_F(ClassifyCommandTest, MeasuresSeveralLabels) {
  write("test.jsonl",
        "{\"text\": \"the\", \"labels\": []}\n"
        "{\"text\": \"a\", \"labels\": [\"bad\", \"good\"]}\n");
  const Outcome result = classify({"--labelled", path("test.jsonl"), "--json"}, "", "several");
  EXPECT_EQ(result.code, 0) << result.err;
  const JsonValue json = JsonValue::parse(result.out);
  EXPECT_FALSE(json.contains("confusion"));
  EXPECT_EQ(json["labels"][1]["texts"], 1);
}

TEST_F(ClassifyCommandTest, StoredInFewerBitsItIsTheSameModelAsComputedSo) {
  ASSERT_EQ(run({"convert", "--int8", path("one"), path("small")}).code, 0);
  EXPECT_EQ(classify({"--json"}, "the a\n", "small").out,
            classify({"--json", "--int8"}, "the a\n").out);
  EXPECT_NE(classify({"--json"}, "the a\n", "small").out, classify({"--json"}, "the a\n").out);
}

// A model and itself are on average that model.
TEST_F(ClassifyCommandTest, SeveralModelsAreAnEnsemble) {
  const std::string texts = "the playing\na naive , ab\n";
  const Outcome same = classify({"--model", path("one"), "--json", "--words"}, texts);
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out, classify({"--json", "--words"}, texts).out);
  testing::put_classifier(path("max"), TextPooling::max);
  const auto good = [](const Outcome& result) {
    const JsonValue json = JsonValue::parse(result.out);
    for (const JsonValue& score : json["scores"])
      if (score["label"] == "good") return score["probability"].get<double>();
    return -1.0;
  };
  const Outcome both = classify({"--model", path("max"), "--json"}, "the a\n");
  const double one = good(classify({"--json"}, "the a\n")),
               max = good(classify({"--json"}, "the a\n", "max"));
  EXPECT_NEAR(good(both), (one + max) / 2, 1e-6);
  EXPECT_GT(std::abs(one - max), 1e-3);
  write("test.tsv", "good\tthe\nbad\tplaying\n");
  const Outcome measured =
      classify({"--model", path("max"), "--labelled", path("test.tsv"), "--json"});
  EXPECT_EQ(JsonValue::parse(measured.out)["texts"], 2) << measured.err;
}

TEST_F(ClassifyCommandTest, OtherCommandsReadTheModel) {
  const Outcome inspected = run({"inspect", "--json", path("one")});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  const JsonValue json = JsonValue::parse(inspected.out);
  EXPECT_EQ(json["model"], "classifier");
  EXPECT_EQ(json["labels"][1], "bad");
  EXPECT_EQ(json["settings"]["pooling"], "attention");
  EXPECT_EQ(run({"embed", "--model", path("one"), "--json"}, "the\n").code, 0);
  testing::put_masked(path("masked"));
  EXPECT_EQ(JsonValue::parse(run({"inspect", "--json", path("masked")}).out)["model"], "masked");
  EXPECT_EQ(run({"embed", "--model", path("masked"), "--json"}, "the\n").code, 0);
  EXPECT_EQ(
      run({"convert", path("masked"), path("copy")}).err,
      path("copy") + ": masked with " +
          JsonValue::parse(run({"inspect", "--json", path("masked")}).out)["parameters"].dump() +
          " parameters, a vocabulary of 20\n");
}

TEST_F(ClassifyCommandTest, SaysWhatIsWrong) {
  write("unknown.tsv", "good\tthe\nugly\tthe\n");
  EXPECT_EQ(classify({"--labelled", path("unknown.tsv")}).err,
            "heed: " + path("unknown.tsv") +
                ": line 2: the model does not know the label "
                "\"ugly\"\n");
  write("two.jsonl", "{\"text\": \"the\", \"labels\": [\"good\", \"bad\"]}\n");
  EXPECT_EQ(classify({"--labelled", path("two.jsonl")}).err,
            "heed: " + path("two.jsonl") + ": line 1: 2 labels but the model gives one\n");
  write("empty.tsv", "");
  EXPECT_EQ(classify({"--labelled", path("empty.tsv")}).code, 1);
  EXPECT_EQ(classify({"--labelled", path("empty.tsv")}).err,
            "heed: " + path("empty.tsv") + ": there are no texts\n");
  EXPECT_EQ(classify({"--labelled", "x", "--top", "2"}).code, 2);
  EXPECT_EQ(classify({"--top", "0"}).code, 2);
  testing::put_bert(path("bert"));
  EXPECT_EQ(classify({}, "a\n", "bert").err,
            "heed: " + path("bert") +
                ": is not the folder of a classifier; `heed train --task classify` makes "
                "one\n");
  EXPECT_EQ(classify({}, "a\n", "bert").code, 1);
  const Outcome mixed = classify({"--model", path("several")}, "a\n");
  EXPECT_EQ(mixed.code, 1);
  EXPECT_EQ(mixed.err,
            "heed: " + path("several") + ": gives a text several labels but the first model one\n");
  testing::put_classifier(path("mean"), TextPooling::mean);
  EXPECT_EQ(classify({"--model", path("mean"), "--words"}, "a\n").err,
            "heed: " + path("mean") +
                ": words have weights of gradients but in the first model of attention, which "
                "cannot be averaged\n");
  const Outcome cut = classify({}, std::string(40, ',') + "\n");
  EXPECT_EQ(cut.err, "heed: 1 of 1 texts have more than 12 tokens, and lost their ends\n");
}

}  // namespace
}  // namespace heed
