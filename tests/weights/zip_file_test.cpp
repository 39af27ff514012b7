#include "heed/weights/zip_file.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "zip_maker.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::ZipMaker;

ZipFile parse(const std::string& bytes) {
  return ZipFile::parse(std::as_bytes(std::span(bytes)), "a.zip");
}

TEST(ZipFile, HoldsNamedParts) {
  const std::string bytes =
      ZipMaker().add("b/c.txt", "some text").add("b/", "").add("a", "").bytes();
  const ZipFile file = parse(bytes);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"a", "b/c.txt"}));
  EXPECT_TRUE(file.contains("b/c.txt"));
  EXPECT_FALSE(file.contains("c.txt"));
  EXPECT_EQ(file.size("b/c.txt"), 9u);
  EXPECT_EQ(file.read("b/c.txt"), "some text");
  EXPECT_EQ(file.read_stored("b/c.txt"), "some text");
  EXPECT_EQ(file.read("a"), "");
  EXPECT_EQ(file.read_front("b/c.txt", 4), "some");
  EXPECT_EQ(file.read_front("b/c.txt", 400), "some text");
  EXPECT_EQ(error_of([&] { (void)file.read("x"); }), "a.zip: part \"x\" is missing");
}

TEST(ZipFile, RefusesWhatItsHeadersLieAbout) {
  const std::string text = "some text";
  const auto refusal = [&](const heed::testing::ZipLies& lies) {
    const std::string bytes = ZipMaker().add("a", text, lies).bytes();
    return error_of([&] { (void)parse(bytes).read("a"); });
  };
  EXPECT_EQ(refusal({.more_bytes = 2'000'000'000, .method = 8}),
            "a.zip: part \"a\" takes 9 bytes but would unpack to 2000000009");
  EXPECT_EQ(refusal({.more_bytes = 1, .method = 8}), "a.zip: part \"a\" is damaged");
  EXPECT_EQ(refusal({.checksum = 1}), "a.zip: part \"a\" is damaged");
  const std::string packed = ZipMaker().add("a", text, {.method = 8}).bytes();
  EXPECT_EQ(error_of([&] { (void)parse(packed).read_stored("a"); }),
            "a.zip: part \"a\" is packed but was expected to be stored as it is");
}

// One of which alone would be taken.
TEST(ZipFile, RefusesToUnpackFarMoreThanItHas) {
  const heed::testing::ZipLies lies{.more_bytes = 1'000'000, .method = 8};
  const std::string one = ZipMaker().add("a", "1", lies).bytes();
  const std::string two = ZipMaker().add("a", "1", lies).add("b", "1", lies).bytes();
  EXPECT_EQ(parse(one).names().size(), 1u);
  EXPECT_EQ(error_of([&] { parse(two); }), "a.zip: 180 bytes would unpack to more than 1052176");
}

TEST(ZipFile, RefusesNamesThatOccurTwice) {
  const std::string bytes = ZipMaker().add("a", "1").add("a", "2").bytes();
  EXPECT_EQ(error_of([&] { parse(bytes); }), "a.zip: part \"a\" occurs twice");
}

TEST(ZipFile, KnowsHowArchivesBegin) {
  const std::string zip = ZipMaker().add("a", "1").bytes(), other = "PK, but not that";
  EXPECT_TRUE(begins_like_zip(std::as_bytes(std::span(zip))));
  const std::string empty = ZipMaker().bytes();
  EXPECT_TRUE(begins_like_zip(std::as_bytes(std::span(empty))));
  EXPECT_FALSE(begins_like_zip(std::as_bytes(std::span(other))));
  EXPECT_FALSE(begins_like_zip({}));
}

}  // namespace
}  // namespace heed
