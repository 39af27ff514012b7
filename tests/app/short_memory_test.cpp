// The program with little memory (ulimit -v): it says so in one sentence, and soon.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "paths.h"
#include "sample_text.h"
#include "shell.h"
#include "small_model.h"

namespace heed {
namespace {

using namespace heed::testing;

struct LimitedCommand {
  std::string name;
  std::string arguments;
};

void PrintTo(const LimitedCommand& command, std::ostream* out) { *out << command.name; }

class ShortMemory : public ::testing::TestWithParam<LimitedCommand> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizers keep terabytes of addresses for themselves";
#endif
    put_model(shell_.folder().path("model"));
    std::string source, target;
    for (uint64_t i = 0; i < 1000; ++i) {
      source += made_up_sentence(i) + "\n";
      target += made_up_sentence(i + 1000) + "\n";
    }
    shell_.folder().put("source", source);
    shell_.folder().put("target", target);
  }

  Shell::Result run_with(int64_t kilobytes, const std::string& arguments) const {
    return shell_.run(
        fmt::format("rm -rf made; ulimit -v {}; exec $HEED {}", kilobytes, arguments));
  }

  // The least that the system needs to start the program at all, to within a page or two.
  int64_t least() const {
    int64_t too_little = 4000, enough = 1000000;
    while (enough - too_little > 8) {
      const int64_t middle = (too_little + enough) / 2;
      (run_with(middle, "--version").code == 0 ? enough : too_little) = middle;
    }
    return enough;
  }

  // Of all programs that were run so far.
  static double seconds_of_work() {
    rusage usage = {};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }

  Shell shell_{testing::heed_program};
};

TEST_P(ShortMemory, IsToldInOneSentenceAndSoon) {
  int failures = 0;
  for (int64_t kilobytes = least();; kilobytes += kilobytes / 2) {
    SCOPED_TRACE(fmt::format("ulimit -v {}", kilobytes));
    ASSERT_LT(kilobytes, 4000000);
    const double before = seconds_of_work();
    const Shell::Result result = run_with(kilobytes, GetParam().arguments);
    if (result.code == 0) break;
    ++failures;
    EXPECT_LT(seconds_of_work() - before, 6);
    EXPECT_EQ(result.code, 1) << result.err;
    const size_t sentence = result.err.rfind("heed: ");
    ASSERT_NE(sentence, std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n', sentence), result.err.size() - 1) << result.err;
    EXPECT_NE(result.err.find("memory", sentence), std::string::npos) << result.err;
  }
  EXPECT_GT(failures, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ShortMemory,
    ::testing::Values(
        LimitedCommand{"translate", "translate --model model --input source --max-length 5"},
        LimitedCommand{"score", "score --model model --source source --target target"},
        LimitedCommand{"evaluate", "evaluate --hypothesis source --reference target"},
        LimitedCommand{"convert", "convert --int8 model made"},
        LimitedCommand{"train",
                       "train --train source target --model made --steps 1 "
                       "--valid-lines 20 --width 64 --threads 2"}),
    [](const auto& command) { return command.param.name; });

}  // namespace
}  // namespace heed
