#include "heed/app/cli/demo_command.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/app/cli/program.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class Demo : public ::testing::Test {
 protected:
  Demo() {
    std::string name = (fs::temp_directory_path() / "heed_demo_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Demo() override { fs::remove_all(folder_); }

  int run(const std::vector<std::string>& arguments) {
    out_.str({});
    err_.str({});
    return run_program(arguments, {out_, err_, TerminalStyle{.width = 80, .ink = Ink::digits}});
  }
  bool printed(const std::string& text) const { return out_.str().find(text) != std::string::npos; }

  fs::path folder_;
  std::ostringstream out_, err_;
};

// The slow test checks the accuracy; this one checks the output.
TEST_F(Demo, TeachesExaminesAndDraws) {
  const fs::path svg = folder_ / "attention.svg";
  ASSERT_EQ(run({"demo", "--steps", "20", "--svg", svg.string()}), 0) << err_.str();
  EXPECT_TRUE(printed("% of 1000 unseen dates exactly right\n"));
  EXPECT_TRUE(printed("RNN           Transformer\n"));
  EXPECT_TRUE(printed("\nle jeudi 3 mai 1979\n"));
  EXPECT_TRUE(printed("\nRNN: its attention\n"));
  EXPECT_TRUE(printed("▁ l e ▁ j e u d i ▁ 3 ▁ m a i ▁ 1 9 7 9"));
  EXPECT_NE(err_.str().find("RNN: step 20 of 20 · loss "), std::string::npos);
  EXPECT_NE(err_.str().find("Transformer: step 4 of 20 · loss "), std::string::npos);
  std::ifstream file(svg);
  const std::string picture{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(picture.find("le jeudi 3 mai 1979"), std::string::npos);
  EXPECT_NE(picture.find("Written date"), std::string::npos);
}

TEST_F(Demo, KeepsItsTransformerToBeLookedAt) {
  const std::string model = (folder_ / "model").string(), svg = (folder_ / "a.svg").string();
  ASSERT_EQ(run({"demo", "--steps", "5", "--svg", svg, "--model", model}), 0) << err_.str();
  EXPECT_TRUE(printed("The Transformer was saved in " + model + ".\n"));
  EXPECT_TRUE(printed("heed attention --model " + model + " --source \"le jeudi 3 mai 1979\""));
  EXPECT_TRUE(printed("Transformer: layer "));
  EXPECT_EQ(run({"attention", "--model", model, "--source", "le jeudi 3 mai 1979", "--json"}), 0)
      << err_.str();
  // It would be overwritten.
  EXPECT_EQ(run({"demo", "--steps", "5", "--svg", svg, "--model", model}), 1);
  EXPECT_EQ(err_.str(),
            fmt::format("heed: {}: already exists and is not an empty folder\n", model));
}

TEST_F(Demo, WrongUsageExitsWith2) {
  EXPECT_EQ(run({"demo", "--steps", "0"}), 2);
  EXPECT_EQ(run({"demo", "--threads", "-1"}), 2);
  EXPECT_EQ(run({"demo", "unasked"}), 2);
  EXPECT_EQ(run({"demo", "--svg", ""}), 2);
}

TEST_F(Demo, APictureWithoutAFolderIsRefusedBeforeTheLesson) {
  EXPECT_EQ(run({"demo", "--svg", "no/such/a.svg"}), 1);
  EXPECT_EQ(err_.str(), "heed: \"no/such/a.svg\": folder \"no/such\" does not exist\n");
  EXPECT_EQ(run({"demo", "--svg", folder_.string()}), 1);
  EXPECT_EQ(err_.str(),
            fmt::format("heed: \"{}\": a folder, but a file was expected\n", folder_.string()));
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace heed
