// `heed-mpi translate`: the same bytes as `heed translate` on any number of ranks, whatever happens
// to them.
#include "mpi_process.h"
#include "train_process.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using heed::testing::MpiProcess;
using heed::testing::ProgramProcess;
using heed::testing::SmallTraining;
using Words = std::vector<std::string>;

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Some thousand lines, with empty ones and one that is not UTF-8.
std::string many_lines(int count) {
  Rng rng(7);
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i % 97 == 5 ? "" : random_date(rng, DateUse::training).written) + '\n';
  return text + "not \xff UTF-8\n";
}

class MpiTranslation : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    training_ = std::make_unique<SmallTraining>();
    ASSERT_EQ(training_->run(path("model"), {{"--steps", "7"}}), 0) << training_->output();
  }
  static void TearDownTestSuite() { training_.reset(); }

  static std::string path(const std::string& name) { return training_->path(name); }
  static void put(const std::string& name, const std::string& text) {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  static std::string read(const std::string& name) { return bytes_of(path(name)); }

  static Words words(const std::string& input, const std::string& output, const Words& more) {
    Words all = {"translate", "--model",      path("model"), "--input",  path(input), "--beam",
                 "2",         "--max-length", "20",          "--output", path(output)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // Exit codes. What they say is in files of these names.
  static int alone(const std::string& input, const std::string& output, const Words& more = {}) {
    return ProgramProcess(words(input, output, more), {.err = path("said.alone")}).wait();
  }
  static int on_ranks(int ranks, const std::string& input, const std::string& output,
                      const Words& more = {}) {
    return MpiProcess(ranks, words(input, output, more), path("said")).wait();
  }

  // Whether what is kept beside an output is gone.
  static bool is_tidy(const std::string& output) {
    return !fs::exists(path(output + ".unfinished")) && !fs::exists(path(output + ".journal"));
  }

 private:
  static inline std::unique_ptr<SmallTraining> training_;
};

TEST_F(MpiTranslation, HasTheBytesOfOneProcess) {
  put("lines", many_lines(1500));
  ASSERT_EQ(alone("lines", "expected"), 0) << read("said.alone");
  for (const int ranks : {1, 2, 3, 4}) {
    ASSERT_EQ(on_ranks(ranks, "lines", "found"), 0) << read("said");
    EXPECT_EQ(read("found"), read("expected")) << ranks << " ranks";
    EXPECT_EQ(read("said"), read("said.alone")) << ranks << " ranks";
    EXPECT_TRUE(is_tidy("found"));
  }
}

TEST_F(MpiTranslation, HasThemInEveryFormat) {
  put("lines", many_lines(600));
  std::string prefixes;
  for (int i = 0; i < 601; ++i) prefixes += i % 2 == 0 ? "19\n" : "\n";
  put("prefixes", prefixes);
  const std::vector<std::pair<std::string, Words>> formats = {
      {".txt", {"--nbest", "2", "--scores"}},
      {".json", {"--json", "--alignment", "soft"}},
      {".txt", {"--prefix", path("prefixes"), "--alignment", "pharaoh"}},
      {".gz", {"--int8"}},
      {".zst", {"--threads", "2"}}};
  for (const auto& [ending, flags] : formats) {
    ASSERT_EQ(alone("lines", "expected" + ending, flags), 0) << read("said.alone");
    ASSERT_EQ(on_ranks(3, "lines", "found" + ending, flags), 0) << read("said");
    EXPECT_EQ(read("found" + ending), read("expected" + ending)) << flags.front();
  }
}

TEST_F(MpiTranslation, WritesToStandardOutput) {
  put("lines", many_lines(100));
  ASSERT_EQ(alone("lines", "expected"), 0) << read("said.alone");
  Words all = words("lines", "", {});
  all.back() = "-";
  const Words started = MpiProcess::words_of(2, testing::heed_mpi_program, all);
  ASSERT_EQ(ProgramProcess(started, {.out = path("found"), .err = path("said")},
                           testing::mpi_environment(), "mpirun")
                .wait(),
            0)
      << read("said");
  EXPECT_EQ(read("found"), read("expected"));
}

// Lines of the journal of an unfinished translation.
int64_t chunks_in(const std::string& journal) {
  return std::max<int64_t>(0, std::count(journal.begin(), journal.end(), '\n') - 1);
}

TEST_F(MpiTranslation, GoesOnWithAnotherNumberOfRanksAfterOneWasKilled) {
  put("long", many_lines(12000));
  ASSERT_EQ(alone("long", "expected.zst"), 0) << read("said.alone");
  Rng rng(11);
  int64_t done = 0;
  int kills = 0;
  for (const int ranks : {2, 3, 1, 4}) {
    MpiProcess process(ranks, words("long", "killed.zst", {}), path("said"));
    // As soon as it has done more than the ones before.
    while (process.runs() && chunks_in(read("killed.zst.journal")) <= done)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::vector<pid_t> processes = process.ranks();
    if (processes.size() < static_cast<size_t>(ranks)) continue;  // it has ended before
    ::kill(processes[rng.below(processes.size())], SIGKILL);
    EXPECT_NE(process.wait(), 0);
    EXPECT_FALSE(fs::exists(path("killed.zst")));
    const int64_t now = chunks_in(read("killed.zst.journal"));
    EXPECT_GT(now, done) << ranks << " ranks: " << read("said");
    done = now;
    ++kills;
  }
  EXPECT_GE(kills, 3);
  ASSERT_EQ(on_ranks(2, "long", "killed.zst"), 0) << read("said");
  EXPECT_EQ(read("killed.zst"), read("expected.zst"));
  EXPECT_EQ(read("said"), read("said.alone"));
  EXPECT_TRUE(is_tidy("killed.zst"));
}

TEST_F(MpiTranslation, ReportsAMistakeOnce) {
  EXPECT_EQ(on_ranks(3, "missing", "found"), 1);
  const std::string said = read("said");
  EXPECT_NE(said.find("heed: " + path("missing") + ": "), said.npos) << said;
  EXPECT_EQ(said.find("heed: "), said.rfind("heed: ")) << said;
}

}  // namespace
}  // namespace heed
