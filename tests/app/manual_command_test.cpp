#include "heed/app/cli/manual_command.h"

#include "program_test.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class ManualCommandTest : public testing::ProgramTest {};

TEST_F(ManualCommandTest, WritesAPageForEveryCommand) {
  const testing::Outcome result =
      run({"manual", "--man", path("man"), "--markdown", path("new/md")});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out + result.err, "");
  for (const char* name : {"man/heed.1", "man/heed-train.1", "man/heed-manual.1",
                           "new/md/README.md", "new/md/train.md", "new/md/manual.md"})
    EXPECT_GT(fs::file_size(path(name)), 300u) << name;
}

TEST_F(ManualCommandTest, PrintsTheCompletionOfAShell) {
  EXPECT_NE(run({"manual", "--completion", "bash"}).out.find("complete -F _heed heed"),
            std::string::npos);
  EXPECT_TRUE(run({"manual", "--completion", "zsh"}).out.starts_with("#compdef heed\n"));
  EXPECT_TRUE(run({"manual", "--completion", "fish"}).out.starts_with("# fish completion of heed"));
}

TEST_F(ManualCommandTest, RefusesWhatItCannotDo) {
  EXPECT_EQ(run({"manual"}).err,
            "heed: manual: give --man, --markdown or --completion (see heed manual --help)\n");
  EXPECT_EQ(run({"manual", "--completion", "csh"}).code, 2);
  write("file", "");
  const testing::Outcome result = run({"manual", "--man", path("file")});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.err.starts_with("heed: " + path("file") + ": ")) << result.err;
}

}  // namespace
}  // namespace heed
