#include "heed/base/quantity_text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(QuantityText, ReadsDurations) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("30m"), 1800);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration("2d"), 172800);
  for (const char* text :
       {"", "0", "s", "m30", "-1s", "1x", "1 s", "nan", "inf", "1e999", "h", "30mm", "nans"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(QuantityText, ReadsSizes) {
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("1K"), 1024);
  EXPECT_EQ(parse_bytes("500M"), int64_t{500} << 20);
  EXPECT_EQ(parse_bytes("1.5G"), int64_t{3} << 29);
  EXPECT_EQ(parse_bytes("2T"), int64_t{2} << 40);
  EXPECT_EQ(parse_bytes("123456789"), 123456789);
  for (const char* text : {"", "G", "0", "-1G", "1g", "1GB", "nan", "inf", "infG", "1e300G", "2 G"})
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
}

TEST(QuantityText, CountsOneAndMany) {
  EXPECT_EQ(counted(0, "line"), "0 lines");
  EXPECT_EQ(counted(1, "line"), "1 line");
  EXPECT_EQ(counted(2, "line"), "2 lines");
}

}  // namespace
}  // namespace heed
