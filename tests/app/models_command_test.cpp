#include "heed/app/cli/models_command.h"

#include <cstdlib>
#include <fstream>

#include "heed/base/json.h"
#include "program_test.h"
#include "small_model.h"

namespace heed {
namespace {

using testing::Outcome;

class ModelsCommandTest : public testing::ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ::setenv("XDG_DATA_HOME", path("data").c_str(), 1);
    testing::put_model(path("data/heed/kept-by-name"));
    testing::put_model(path("else/one"));
    std::filesystem::create_directories(path("else/two"));
    write("else/two/config.json", "{}");
  }
  void TearDown() override {
    ::unsetenv("XDG_DATA_HOME");
    ProgramTest::TearDown();
  }
};

TEST_F(ModelsCommandTest, ListsModelsHereAndThere) {
  const Outcome text = run({"models", path("else")});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"kept-by-name\n", "one\n", "two\n", "  broken", "transformer, "})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << text.out;
  const JsonValue json = JsonValue::parse(run({"models", "--json", path("else")}).out);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0]["name"], "kept-by-name");
  EXPECT_EQ(json[0]["model"], "transformer");
  EXPECT_EQ(json[0]["storage"], "float32");
  EXPECT_EQ(json[1]["name"], "one");
  EXPECT_FALSE(json[1].contains("broken"));
  EXPECT_TRUE(json[2].contains("broken"));
  EXPECT_EQ(run({"models", path("missing")}).code, 1);
}

TEST_F(ModelsCommandTest, SaysWhereThereAreNone) {
  std::filesystem::remove_all(path("data"));
  const Outcome none = run({"models"});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "heed: there are no models in " + path("data/heed") + "\n");
  EXPECT_EQ(run({"models", "--json"}).out, "[]\n");
}

TEST_F(ModelsCommandTest, EveryCommandFindsAModelByItsName) {
  write("in", "ab\n");
  const std::vector<std::vector<std::string>> commands = {
      {"translate", "--input", path("in"), "--model", "kept-by-name"},
      {"score", "--source", path("in"), "--target", path("in"), "--model", "kept-by-name"},
      {"attention", "--source", "ab", "--model", "kept-by-name"},
      {"inspect", "kept-by-name"},
      {"inspect", "--model", "kept-by-name"},
      {"convert", "kept-by-name", path("new")},
      {"shortlist", "--model", "kept-by-name", "--train", path("in"), path("in")},
      {"train", "--pretrained", "kept-by-name", "--train", path("in"), path("in"), "--valid",
       path("in"), path("in"), "--model", path("taught"), "--steps", "1"}};
  for (const auto& command : commands)
    EXPECT_EQ(run(command).code, 0) << command.front() << ": " << run(command).err;
  const Outcome missing = run({"inspect", "no-such-name"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("no-such-name: there is no such folder"), std::string::npos)
      << missing.err;
}

}  // namespace
}  // namespace heed
