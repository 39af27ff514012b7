#include "heed/data/zstd_input.h"

#include <gtest/gtest.h>

#include "compress.h"
#include "error_of.h"
#include "sample_text.h"

namespace heed {
namespace {

using testing::error_of;
using testing::zstd_packed;

std::string unpacked(const std::string& packed) {
  return read_all(*unpack_zstd(BufferedInput(input_of(packed)), "a.zst"));
}

std::string large_text() {
  std::string text;
  for (uint64_t i = 0; i < 20000; ++i) text += testing::made_up_sentence(i) + "\n";
  return text;
}

TEST(ZstdInput, UnpacksOneFrameOrMany) {
  for (const std::string& text :
       {std::string(), std::string("a"), large_text(), std::string(5'000'000, 'x')})
    EXPECT_EQ(unpacked(zstd_packed(text)), text);
  EXPECT_EQ(unpacked(zstd_packed("one, ") + zstd_packed("") + zstd_packed("two")), "one, two");
}

TEST(ZstdInput, NoticesDamage) {
  const std::string packed = zstd_packed(large_text());
  for (const size_t size : {size_t{4}, packed.size() / 2, packed.size() - 1})
    EXPECT_EQ(error_of([&] { unpacked(packed.substr(0, size)); }),
              "a.zst: the zstd data is not complete");
  EXPECT_EQ(error_of([&] { unpacked(packed + "and more"); }),
            "a.zst: the zstd data is damaged: Unknown frame descriptor");
}

}  // namespace
}  // namespace heed
