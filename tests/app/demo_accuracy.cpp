// The demo as everybody runs it: both models read at least 98 % of unseen dates, whatever the seed.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "heed/app/cli/program.h"

namespace heed {
namespace {

TEST(DemoAccuracy, IsAtLeast98PercentForSeveralSeeds) {
  const std::string svg = (std::filesystem::temp_directory_path() / "heed_demo_accuracy.svg").string();
  for (const char* seed : {"1", "2", "3"}) {
    SCOPED_TRACE(seed);
    std::ostringstream out, err;
    ASSERT_EQ(run_program({"demo", "--seed", seed, "--svg", svg}, {out, err, {}}), 0) << err.str();
    const std::string text = out.str();
    const std::regex share("([0-9.]+) % of 1000 unseen dates");
    int models = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), share), end; found != end; ++found, ++models)
      EXPECT_GE(std::stod((*found)[1]), 98.0) << text;
    EXPECT_EQ(models, 2) << text;
  }
  std::filesystem::remove(svg);
}

}  // namespace
}  // namespace heed
