#include "heed/app/cli/convert_command.h"

#include <sys/resource.h>

#include "ctranslate2_sample.h"
#include "external_data.h"
#include "heed/folders/model_folder.h"
#include "program_test.h"
#include "round_trip.h"
#include "small_model.h"
#include "small_vocabulary.h"
#include "train_process.h"

namespace heed {
namespace {

using testing::external_data;
using testing::Outcome;

class ConvertCommandTest : public testing::ProgramTest {
 protected:
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // In a process with a tiny limit on file sizes, as on a full disk.
  Outcome run_with_little_disk(const std::vector<std::string>& arguments) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit limit = {2000, 2000};
      ::signal(SIGXFSZ, SIG_IGN);
      const Outcome outcome = [&] {
        ::setrlimit(RLIMIT_FSIZE, &limit);
        return run(arguments);
      }();
      write("said", outcome.err);
      ::_exit(outcome.code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WEXITSTATUS(status), "", read("said")};
  }

  // One that takes a while to write.
  void save_large_model() const {
    ModelConfig config = TransformerConfig{
        .encoder_layers = 2, .decoder_layers = 2, .width = 256, .ffn = 1024, .heads = 4};
    set_vocabularies(config, testing::small_vocabulary().size(),
                     testing::small_vocabulary().size());
    Rng rng(1);
    std::filesystem::create_directory(path("large"));
    save_model_folder(path("large"), {config, make_model(config, rng), testing::small_vocabulary(),
                                      testing::small_vocabulary()});
  }
};

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

TEST_F(ConvertCommandTest, RefusesAChangedFolderUnlessToldOtherwise) {
  const testing::TemporaryFolder folder;
  testing::ctranslate2_sample::write_folder(folder);
  ASSERT_EQ(run({"convert", folder.path(""), path("model")}).code, 0);
  std::string config = read("model/config.json");
  const size_t place = config.rfind("\"activation\": \"relu\"");
  ASSERT_NE(place, std::string::npos);
  write("model/config.json", config.replace(place, 20, "\"activation\": \"gelu\""));
  const std::string expected =
      "heed: " + path("model/config.json") +
      ": \"activation\" is gelu, but the weights were saved with relu; `heed convert "
      "--accept-changes FROM TO` writes a model from the folder as it is\n";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"translate", "--model", path("model")},
        {"inspect", path("model")},
        {"convert", path("model"), path("accepted")}}) {
    const Outcome refused = run(command, "a b\n");
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.err, expected);
  }
  EXPECT_FALSE(std::filesystem::exists(path("accepted")));
  const Outcome accepted = run({"convert", "--accept-changes", path("model"), path("accepted")});
  EXPECT_EQ(accepted.code, 0) << accepted.err;
  EXPECT_EQ(run({"translate", "--model", path("accepted")}, "a b\n").code, 0);
}

TEST_F(ConvertCommandTest, SaysWhatIsWrong) {
  const testing::TemporaryFolder good;
  testing::ctranslate2_sample::write_folder(good);
  const auto complaint = [&](const std::string& from, const std::string& to) {
    const Outcome outcome = run({"convert", from, to});
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(complaint(path("none"), path("to")),
            "heed: " + path("none") + ": there is no such folder\n");
  write("file", "some text");
  EXPECT_EQ(complaint(path("file"), path("to")),
            "heed: " + path("file") + ": is a file, but a folder was expected\n");
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(complaint(path("empty"), path("to")),
            "heed: " + path("empty") +
                ": has neither model.bin nor config.json nor model.npz, so it is not a model "
                "folder of CTranslate2, Hugging Face, heed or Marian\n");
  const std::string too_long = path(std::string(300, 'x'));
  EXPECT_EQ(complaint(too_long, path("to")),
            "heed: " + too_long + ": cannot be read: File name too long\n");
  EXPECT_EQ(complaint(good.path(""), too_long),
            "heed: " + too_long + ": cannot be read: File name too long\n");
  std::filesystem::create_symlink(path("loop"), path("loop"));
  EXPECT_EQ(complaint(path("loop"), path("to")),
            "heed: " + path("loop") + ": cannot be read: Too many levels of symbolic links\n");
  EXPECT_EQ(complaint(good.path(""), "/proc/heed"),
            "heed: /proc/heed: cannot be created: No such file or directory\n");
  EXPECT_EQ(complaint(good.path(""), path("file")),
            "heed: " + path("file") + ": already exists and is not an empty folder\n");
  EXPECT_EQ(complaint(good.path(""), path("file/to")),
            "heed: " + path("file/to") + ": cannot be created: Not a directory\n");
  EXPECT_EQ(complaint(good.path(""), good.path("")),
            "heed: " + good.path("") + ": already exists and is not an empty folder\n");
  EXPECT_FALSE(std::filesystem::exists(path("to")));
  EXPECT_EQ(run({"convert", path("empty")}).code, 2);
  EXPECT_EQ(run({"convert", "--int8", "--float16", good.path(""), path("to")}).code, 2);
}

TEST_F(ConvertCommandTest, NamesADamagedFile) {
  std::filesystem::create_directory(path("from"));
  write("from/model.bin", "1234");
  write("from/shared_vocabulary.txt", "</s>\na\n");
  const Outcome damaged = run({"convert", path("from"), path("to")});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.err.find("model.bin: version 875770417 but 2 to 6 was expected"),
            std::string::npos)
      << damaged.err;
  EXPECT_FALSE(std::filesystem::exists(path("to")));
}

TEST_F(ConvertCommandTest, WritesIntoNewFoldersAndIntoEmptyOnes) {
  const testing::TemporaryFolder good;
  testing::ctranslate2_sample::write_folder(good);
  std::filesystem::create_directory(path("empty"));
  for (const std::string& to :
       {path("empty"), path("a/new/one"), path("slash/"), path("a/new/one/inside")}) {
    EXPECT_EQ(run({"convert", good.path(""), to}).code, 0) << to;
    EXPECT_EQ(run({"inspect", to}).code, 0) << to;
  }
}

// If a file cannot be written, everything that was created is removed, and everything else stays.
TEST_F(ConvertCommandTest, LeavesNothingBehindWhereItFails) {
  const testing::TemporaryFolder good;
  testing::ctranslate2_sample::write_folder(good);
  ASSERT_EQ(run({"convert", good.path(""), path("model")}).code, 0);
  std::filesystem::create_directory(path("empty"));
  std::filesystem::create_directory(path("kept"));
  for (const char* to : {"empty", "kept/new/one"}) {
    const Outcome outcome = run_with_little_disk({"convert", path("model"), path(to)});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find(": cannot be written: File too large\n"), std::string::npos)
        << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("heed: " + path(to) + "/")) << outcome.err;
  }
  EXPECT_TRUE(std::filesystem::is_empty(path("empty")));
  EXPECT_TRUE(std::filesystem::is_empty(path("kept")));
}

// Whenever it is interrupted, there is a whole model or none, and the rest of a killed one is not
// taken for whole.
TEST_F(ConvertCommandTest, LeavesNoHalfModelWhenInterrupted) {
  save_large_model();
  int whole = 0, none = 0;
  for (const int signal : {SIGINT, SIGKILL})
    for (int i = 0; i < 12; ++i) {
      std::filesystem::remove_all(path("to"));
      testing::TrainProcess process({"convert", path("large"), path("to")}, path("output"));
      // From the first moment on, and then as soon as the folder exists.
      while (i >= 2 && process.runs() && !std::filesystem::exists(path("to"))) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(i));
      process.kill(signal);
      const bool loads = run({"inspect", path("to")}).code == 0;
      whole += loads;
      none += !loads;
      EXPECT_EQ(loads, std::filesystem::exists(path("to/model.safetensors")));
      EXPECT_TRUE(loads || signal == SIGKILL || !std::filesystem::exists(path("to")));
    }
  std::cout << whole << " whole models, " << none << " none\n";
}

TEST_F(ConvertCommandTest, GivesModelsToOtherTools) {
  heed::testing::put_model(path("model"));
  for (const std::string tool : {"huggingface", "ctranslate2"}) {
    const Outcome there = run({"convert", "--to", tool, path("model"), path(tool)});
    EXPECT_EQ(there.code, 0) << there.err;
    const Outcome back = run({"convert", path(tool), path(tool + "-back")});
    EXPECT_EQ(back.code, 0) << back.err;
    heed::testing::expect_same_model(load_model_folder(path(tool + "-back")),
                                     load_model_folder(path("model")));
  }
  const Outcome small =
      run({"convert", "--to", "huggingface", "--int8", path("model"), path("small")});
  EXPECT_EQ(small.code, 1);
  EXPECT_NE(small.err.find("no weights of 8 bits"), std::string::npos) << small.err;
  EXPECT_FALSE(std::filesystem::exists(path("small")));
  EXPECT_EQ(run({"convert", "--to", "onnx", path("model"), path("other")}).code, 2);
}

}  // namespace
}  // namespace heed
