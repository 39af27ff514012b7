#include "heed/app/cli/convert_command.h"

#include "ctranslate2_sample.h"
#include "external_data.h"
#include "program_test.h"

namespace heed {
namespace {

using testing::external_data;
using testing::Outcome;

class ConvertCommandTest : public testing::ProgramTest {};

TEST_F(ConvertCommandTest, MakesAFolderToTranslateWith) {
  const auto folder = external_data("aren-transliteration");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const Outcome converted = run({"convert", folder.string(), path("aren")});
  EXPECT_EQ(converted.code, 0) << converted.err;
  const Outcome translated =
      run({"translate", "--model", path("aren"), "--beam", "4"}, "ك ا ز ا\n\nآ ت ز م و ن\n");
  EXPECT_EQ(translated.code, 0) << translated.err;
  EXPECT_EQ(translated.out, "k a z a\n\na t z m o n\n");
}

TEST_F(ConvertCommandTest, MakesSmallerFolders) {
  const testing::TemporaryFolder folder;
  testing::ctranslate2_sample::write_folder(folder);
  for (const char* storage : {"--float16", "--int8"}) {
    const Outcome converted = run({"convert", folder.path(""), path(storage), storage});
    EXPECT_EQ(converted.code, 0) << converted.err;
    EXPECT_EQ(run({"translate", "--model", path(storage)}, "a b\n").code, 0);
  }
  const Outcome again = run({"convert", path("--int8"), path("whole")});
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(ConvertCommandTest, SaysWhatIsWrong) {
  std::filesystem::create_directory(path("empty"));
  const Outcome nothing = run({"convert", path("empty"), path("to")});
  EXPECT_EQ(nothing.code, 1);
  EXPECT_EQ(
      nothing.err,
      "heed: " + path("empty") +
          ": neither model.bin nor config.json is there, so this is no folder of CTranslate2 or heed\n");
  write("empty/model.bin", "1234");
  write("empty/shared_vocabulary.txt", "</s>\na\n");
  const Outcome damaged = run({"convert", path("empty"), path("to")});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.err.find("model.bin: version 875770417 but 2 to 6 was expected"), std::string::npos)
      << damaged.err;
  EXPECT_FALSE(std::filesystem::exists(path("to")));
  const Outcome taken = run({"convert", path("empty"), path("empty")});
  EXPECT_EQ(taken.code, 1);
  EXPECT_NE(taken.err.find("is there and is no empty folder"), std::string::npos);
  EXPECT_EQ(run({"convert", path("empty")}).code, 2);
}

}  // namespace
}  // namespace heed
