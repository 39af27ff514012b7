#include "heed/weights/zip_archive.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "marian_maker.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::ZipMaker;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ZipArchive open(const std::string& bytes) {
  return ZipArchive(std::as_bytes(std::span(bytes)), "a.zip");
}

TEST(ZipArchive, GivesItsFiles) {
  const std::string bytes = ZipMaker().file("b", "second").file("a", "first").bytes();
  const ZipArchive archive = open(bytes);
  EXPECT_EQ(archive.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(archive.size("b"), 6u);
  EXPECT_EQ(text_of(archive.read("a")), "first");
  EXPECT_EQ(text_of(archive.read_front("b", 3)), "sec");
  EXPECT_EQ(text_of(archive.read_front("b", 300)), "second");
  EXPECT_EQ(error_of([&] { archive.read("c"); }), "a.zip: has no file \"c\"");
}

TEST(ZipArchive, RefusesWhatIsDamaged) {
  EXPECT_TRUE(error_of([] {
                open("PK\x03\x04 and no more");
              }).starts_with("a.zip: is not a zip archive that can be read: "));
  std::string bytes = ZipMaker().file("a", "first").bytes();
  bytes[bytes.find("first")] = 'F';
  EXPECT_EQ(error_of([&] { open(bytes).read("a"); }), "a.zip: \"a\" is damaged");
  EXPECT_EQ(error_of([] { open(ZipMaker().file("a", "1").file("a", "2").bytes()); }),
            "a.zip: is not a zip archive that can be read: File already exists");
}

// A file that claims to unpack to gigabytes costs nothing.
TEST(ZipArchive, RefusesToUnpackFarMoreThanItHas) {
  const std::string bytes = ZipMaker().file("a", "first", 3'000'000'000u).bytes();
  const std::string said = error_of([&] { open(bytes).read("a"); });
  EXPECT_TRUE(said.starts_with("a.zip: ")) << said;
}

}  // namespace
}  // namespace heed
