#include "heed/app/cli/embed_command.h"

#include <algorithm>

#include "heed/base/json.h"
#include "heed/weights/tensor_file.h"
#include "program_test.h"
#include "small_bert.h"

namespace heed {
namespace {

using testing::Outcome;

class EmbedCommandTest : public testing::ProgramTest {
 protected:
  EmbedCommandTest() { testing::put_bert(path("model")); }

  Outcome embed(const std::vector<std::string>& more, const std::string& input) const {
    std::vector<std::string> arguments = {"embed", "--model", path("model")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input);
  }
};

TEST_F(EmbedCommandTest, WritesAnObjectForEachLine) {
  const Outcome result = embed({"--json"}, "the playing\n\na");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
  const JsonValue first = JsonValue::parse(result.out.substr(0, result.out.find('\n')));
  EXPECT_EQ(first["ids"].dump(), "[2,8,5,6,3]");
  EXPECT_EQ(first["pieces"].dump(), R"(["[CLS]","the","play","##ing","[SEP]"])");
  EXPECT_EQ(first["embedding"].size(), 32u);
}

TEST_F(EmbedCommandTest, WritesTheSameNumbersToAFile) {
  const std::string texts = "the playing\n\na\n";
  const Outcome result = embed({"--output", path("v.safetensors")}, texts);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const TensorFile file = TensorFile::open(path("v.safetensors"));
  const Tensor vectors = file.read("embeddings", Type::float32);
  ASSERT_EQ(vectors.shape(), (Shape{3, 32}));
  const Outcome json = embed({"--json"}, texts);
  std::istringstream lines(json.out);
  std::string line;
  for (int64_t row = 0; std::getline(lines, line); ++row) {
    const auto numbers = JsonValue::parse(line)["embedding"].get<std::vector<float>>();
    EXPECT_TRUE(std::ranges::equal(numbers, vectors.row<float>(row)));
  }
}

TEST_F(EmbedCommandTest, NoLinesGiveNoVectors) {
  EXPECT_EQ(embed({"--json"}, "").out, "");
  EXPECT_EQ(embed({"--output", path("v.safetensors")}, "").code, 0);
  EXPECT_EQ(TensorFile::open(path("v.safetensors")).shape("embeddings"), (Shape{0, 32}));
}

TEST_F(EmbedCommandTest, TheSameBytesOnAnyNumberOfThreads) {
  std::string texts;
  for (int i = 0; i < 500; ++i) texts += i % 7 == 0 ? "the\n" : "playing a naive ab\n";
  const std::string one = embed({"--json", "--threads", "1"}, texts).out;
  EXPECT_EQ(std::ranges::count(one, '\n'), 500);
  for (const char* threads : {"2", "4"})
    EXPECT_EQ(embed({"--json", "--threads", threads}, texts).out, one);
}

TEST_F(EmbedCommandTest, SaysWhatWasCut) {
  const Outcome result = embed({"--json"}, "the\n" + std::string(40, ',') + "\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "heed: 1 of 2 texts have more than 12 tokens, and lost their ends\n");
}

TEST_F(EmbedCommandTest, PoolsAsToldAndComputesWithIntegers) {
  const std::string mean = embed({"--json"}, "the playing\n").out;
  EXPECT_EQ(embed({"--json", "--pooling", "mean"}, "the playing\n").out, mean);
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--json", "--pooling", "max"},
        {"--json", "--pooling", "first"},
        {"--json", "--int8"}})
    EXPECT_NE(embed(flags, "the playing\n").out, mean);
}

// A model that is stored as integers is computed with integers, and is the same as with --int8.
TEST_F(EmbedCommandTest, ReadsWhatWasConverted) {
  const Outcome converted = run({"convert", path("model"), path("copy")});
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_EQ(converted.err.substr(path("copy").size()),
            ": bert with 16160 parameters, a vocabulary of 20\n");
  EXPECT_EQ(run({"embed", "--model", path("copy"), "--json"}, "the a\n").out,
            embed({"--json"}, "the a\n").out);
  EXPECT_EQ(run({"convert", "--int8", path("model"), path("small")}).code, 0);
  EXPECT_EQ(run({"embed", "--model", path("small"), "--json"}, "the a\n").out,
            embed({"--json", "--int8"}, "the a\n").out);
}

TEST_F(EmbedCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(embed({}, "").code, 2);
  EXPECT_EQ(embed({}, "").err,
            "heed: One of --output and --json is required (see heed embed --help)\n");
  EXPECT_EQ(embed({"--json", "--output", "x"}, "").code, 2);
  EXPECT_EQ(embed({"--json", "--pooling", "sum"}, "").code, 2);
  const Outcome translated = run({"translate", "--model", path("model")}, "a\n");
  EXPECT_EQ(translated.code, 1);
  EXPECT_EQ(translated.err, "heed: " + path("model") +
                                ": is an encoder alone (BERT), which turns texts into vectors and "
                                "generates nothing\n");
  const Outcome missing = run({"embed", "--model", path("none"), "--json"}, "a\n");
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("there is no such folder"), std::string::npos) << missing.err;
}

}  // namespace
}  // namespace heed
