#include "heed/training/progress.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

Progress some_progress() {
  return {.position = {.epoch = 3, .window = 2, .step = 17},
          .epochs = 4,
          .source_tokens = int64_t{1} << 40,
          .target_tokens = 12345,
          .seconds = 0.1 + 0.2,
          .skipped_in_a_row = 2,
          .skipped = 5,
          .loss_sum = 1.0 / 3,
          .likelihood_sum = 2.0 / 7,
          .loss_tokens = 99,
          .validated_at = 1000,
          .best = 3.0000000000000004,
          .best_step = 900,
          .stale = 1,
          .snapshots = {800, 900, 1000},
          .log_bytes = 4567,
          .finished = true};
}

TEST(Progress, KeepsEveryField) {
  const Progress before = some_progress(), after = parse_progress(to_json(before), "state");
  // Structured bindings fail to compile when a field is added: then it belongs into to_json too.
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17] = before;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17] = after;
  EXPECT_EQ(b1, a1);
  EXPECT_EQ(std::tie(b2, b3, b4, b6, b7), std::tie(a2, a3, a4, a6, a7));
  EXPECT_EQ(std::tie(b5, b8, b9), std::tie(a5, a8, a9));  // to the last digit
  EXPECT_EQ(std::tie(b10, b11, b12, b13, b14), std::tie(a10, a11, a12, a13, a14));
  EXPECT_EQ(std::tie(b15, b16, b17), std::tie(a15, a16, a17));
}

TEST(Progress, KnowsThatNothingWasTheBestYet) {
  Progress progress = some_progress();
  progress.best.reset();
  EXPECT_FALSE(parse_progress(to_json(progress), "state").best.has_value());
}

TEST(Progress, RefusesWhatIsDamaged) {
  const std::string whole = to_json(some_progress());
  const auto complaint = [](const std::string& json) {
    return error_of([&] { parse_progress(json, "state"); });
  };
  for (const std::string& json :
       {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, whole.size() / 2)})
    EXPECT_TRUE(complaint(json).starts_with("state: the progress of the run is damaged: "))
        << complaint(json);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string wrong = whole;
    return complaint(wrong.replace(wrong.find(from), from.size(), to));
  };
  const std::string damaged = "state: the progress of the run is damaged: ";
  EXPECT_EQ(changed("\"epochs\":4", "\"other\":4"), damaged + "\"epochs\" is missing");
  // Counts must be such that they can be counted on from.
  for (const char* value : {"[]", "-1", "4.5", "1e300", "9223372036854775807", "null"}) {
    EXPECT_EQ(changed("\"epochs\":4", fmt::format("\"epochs\":{}", value)),
              fmt::format("{}\"epochs\" is \"{}\"", damaged,
                          value == std::string("1e300") ? "1e+300" : value));
    EXPECT_NE(changed("[800,", fmt::format("[{},", value)), "(nothing was thrown)") << value;
  }
  EXPECT_EQ(changed("\"stale\":1", "\"stale\":2147483647"),
            damaged + "\"stale\" is \"2147483647\"");
  EXPECT_EQ(changed("\"finished\":true", "\"finished\":1"), damaged + "\"finished\" is \"1\"");
  EXPECT_EQ(changed("\"loss-sum\":0.", "\"loss-sum\":null,\"x\":0."),
            damaged + "\"loss-sum\" is \"null\"");
}

}  // namespace
}  // namespace heed
