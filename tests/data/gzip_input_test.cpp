#include "heed/data/gzip_input.h"

#include <gtest/gtest.h>

#include "compress.h"
#include "error_of.h"
#include "sample_text.h"

namespace heed {
namespace {

using testing::error_of;
using testing::gzipped;

std::string unpacked(const std::string& packed) {
  return read_all(*unpack_gzip(BufferedInput(input_of(packed)), "a.gz"));
}

std::string large_text() {
  std::string text;
  for (uint64_t i = 0; i < 20000; ++i) text += testing::made_up_sentence(i) + "\n";
  return text;
}

TEST(GzipInput, UnpacksOneMemberOrMany) {
  for (const std::string& text :
       {std::string(), std::string("a"), large_text(), std::string(5'000'000, 'x')})
    EXPECT_EQ(unpacked(gzipped(text)), text);
  EXPECT_EQ(unpacked(gzipped("one, ") + gzipped("") + gzipped("two")), "one, two");
  EXPECT_EQ(unpacked(gzipped("text") + std::string(512, '\0')), "text");
}

TEST(GzipInput, NoticesDamage) {
  const std::string packed = gzipped(large_text());
  for (const size_t size : {size_t{2}, size_t{12}, packed.size() / 2, packed.size() - 1})
    EXPECT_EQ(error_of([&] { unpacked(packed.substr(0, size)); }),
              "a.gz: the gzip data is not complete");
  std::string damaged = packed;
  damaged[packed.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(error_of([&] { unpacked(damaged); }), "a.gz: the gzip data is damaged");
}

}  // namespace
}  // namespace heed
