#include "heed/app/cli/flag_checks.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

// What the parser says about the value, or nothing if it is accepted.
std::string complaint(const CLI::Validator& check, const std::string& value) {
  CLI::App app;
  std::string taken;
  app.add_option("--flag", taken)->check(check);
  try {
    app.parse(std::vector<std::string>{value, "--flag"});
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  EXPECT_EQ(taken, value);
  return "";
}

TEST(FlagChecks, TakeWhatLiesInTheRange) {
  for (const char* value : {"1", "7", "2147483647"}) EXPECT_EQ(complaint(at_least(1), value), "");
  for (const char* value : {"-3", "0", "4"}) EXPECT_EQ(complaint(between(-3, 4), value), "");
  for (const char* value : {"0", "0.5", "1", "1e-3"})
    EXPECT_EQ(complaint(between(0.0, 1.0), value), "");
  EXPECT_EQ(complaint(at_least<int64_t>(1), "9223372036854775807"), "");
  for (const char* value :
       {"https://a.example", "http://127.0.0.1:8080", "null", "*", "moz-extension://3f2a-1b"})
    EXPECT_EQ(complaint(origin(), value), "");
  EXPECT_EQ(complaint(at_least<uint64_t>(0), "18446744073709551615"), "");
  EXPECT_EQ(complaint(above_zero(), "1e-300"), "");
  EXPECT_EQ(complaint(part_of_one(), "0.999"), "");
}

TEST(FlagChecks, SayWhatWasExpectedAndFound) {
  for (const char* value : {"a.example", "https://a.example/", "https://A.example", "https://",
                            "https://a.example,https://b.example", ""})
    EXPECT_NE(complaint(origin(), value).find("but an origin such as https://a.example"),
              std::string::npos)
        << value;
  EXPECT_EQ(complaint(at_least(1), "0"),
            "--flag: \"0\" but a whole number of at least 1 was expected");
  EXPECT_EQ(complaint(at_least(0.5), "0"),
            "--flag: \"0\" but a number of at least 0.5 was expected");
  EXPECT_EQ(complaint(between(4, 100), "3"),
            "--flag: \"3\" but a whole number from 4 to 100 was expected");
  EXPECT_EQ(complaint(between(0.0, 1.0), "1.5"),
            "--flag: \"1.5\" but a number from 0 to 1 was expected");
  EXPECT_EQ(complaint(above_zero(), "0"), "--flag: \"0\" but a number above 0 was expected");
  EXPECT_EQ(complaint(part_of_one(), "1"),
            "--flag: \"1\" but a number from 0 to less than 1 was expected");
  EXPECT_EQ(complaint(one_of({"a", "b", "c"}), "d"), "--flag: \"d\" but a, b or c was expected");
}

TEST(FlagChecks, NameTheLargestNumberWhereTheTypeHasNoLarger) {
  EXPECT_EQ(complaint(at_least(0), "2147483648"),
            "--flag: \"2147483648\" but a whole number from 0 to 2147483647 was expected");
  EXPECT_EQ(complaint(at_least<int64_t>(1), "99999999999999999999"),
            "--flag: \"99999999999999999999\" but a whole number from 1 to 9223372036854775807 was "
            "expected");
}

TEST(FlagChecks, RefuseWhatIsNoPlainNumber) {
  for (const char* value :
       {"", "abc", "1x", " 1", "1.5", "1e3", "0x10", "010", "nan", "inf", "-1", "+1"})
    EXPECT_EQ(
        complaint(at_least(1), value),
        "--flag: \"" + std::string(value) + "\" but a whole number of at least 1 was expected");
  for (const char* value : {"", "abc", "nan", "-nan", "inf", "1e999", "0x1p3", "-1"})
    EXPECT_EQ(complaint(at_least(0.0), value),
              "--flag: \"" + std::string(value) + "\" but a number of at least 0 was expected");
}

TEST(FlagChecks, AreSafeToPrint) {
  EXPECT_EQ(complaint(at_least(1), "\033[2J"),
            "--flag: \"\\x1b[2J\" but a whole number of at least 1 was expected");
}

}  // namespace
}  // namespace heed
