#include "heed/base/checksum.h"

#include <gtest/gtest.h>

#include <string_view>

namespace heed {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Checksum, IsTheOneThatGzipWrites) {
  EXPECT_EQ(checksum(bytes_of("123456789")), 0xCBF43926u);
  EXPECT_EQ(checksum(bytes_of("")), 0u);
}

TEST(Checksum, OfPiecesIsThatOfTheWhole) {
  const std::string_view text = "attention is a weighted mean";
  for (size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(checksum(bytes_of(text.substr(cut)), checksum(bytes_of(text.substr(0, cut)))),
              checksum(bytes_of(text)));
  EXPECT_EQ(checksum({}, 7), 7u);
}

}  // namespace
}  // namespace heed
