#include "heed/weights/byte_cursor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

const std::string file = "model.bin";

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(ByteCursor, TakesWhatIsNext) {
  const std::vector<std::byte> bytes = bytes_of({1, 2, 3, 4, 5, 6, 7});
  ByteCursor cursor(bytes, file);
  EXPECT_EQ(cursor.number<uint32_t>("the version"), 0x04030201u);
  EXPECT_EQ(cursor.left(), 3u);
  const std::span<const std::byte> taken = cursor.take(2, "the name");
  EXPECT_EQ(taken.data(), bytes.data() + 4);
  EXPECT_EQ(taken.size(), 2u);
  EXPECT_EQ(cursor.number<uint8_t>("the type"), 7);
  EXPECT_EQ(cursor.left(), 0u);
  EXPECT_TRUE(cursor.take(0, "nothing").empty());
}

TEST(ByteCursor, SaysWhatIsMissing) {
  const std::vector<std::byte> bytes = bytes_of({1, 2, 3});
  ByteCursor cursor(bytes, file);
  EXPECT_EQ(error_of([&] { cursor.number<uint32_t>("the version"); }),
            "model.bin: the version needs 4 bytes but 3 are left");
  EXPECT_EQ(error_of([&] { cursor.take(std::numeric_limits<uint64_t>::max(), "the name"); }),
            "model.bin: the name needs 18446744073709551615 bytes but 3 are left");
  EXPECT_EQ(cursor.left(), 3u);
}

}  // namespace
}  // namespace heed
