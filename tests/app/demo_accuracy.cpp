// The demo as users run it: both models read at least 98 % of unseen dates, for any seed.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "heed/app/cli/program.h"

namespace heed {
namespace {

TEST(DemoAccuracy, IsAtLeast98PercentForSeveralSeeds) {
  const std::string svg =
      (std::filesystem::temp_directory_path() / "heed_demo_accuracy.svg").string();
  for (const char* seed : {"1", "2", "3"}) {
    SCOPED_TRACE(seed);
    std::ostringstream out, err;
    ASSERT_EQ(run_program({"demo", "--seed", seed, "--svg", svg}, {out, err, {}}), 0) << err.str();
    const std::string text = out.str();
    const std::string ending = " % of 1000 unseen dates";
    int models = 0;
    for (size_t end = text.find(ending); end != std::string::npos;
         end = text.find(ending, end + 1), ++models) {
      const size_t begin = text.find_last_not_of("0123456789.", end - 1) + 1;
      EXPECT_GE(std::stod(text.substr(begin, end - begin)), 98.0) << text;
    }
    EXPECT_EQ(models, 2) << text;
  }
  std::filesystem::remove(svg);
}

}  // namespace
}  // namespace heed
