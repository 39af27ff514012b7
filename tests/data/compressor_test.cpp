#include "heed/data/compressor.h"

#include <gtest/gtest.h>

#include "heed/base/random.h"
#include "heed/data/byte_input.h"

namespace heed {
namespace {

std::string packed(const std::string& file, const std::string& text, size_t piece) {
  const std::unique_ptr<Compressor> compressor = compressor_for(file);
  std::string bytes;
  for (size_t begin = 0; begin < text.size(); begin += piece)
    bytes += compressor->add(std::string_view(text).substr(begin, piece));
  return bytes + compressor->end();
}

std::string sample(size_t length) {
  Rng rng(3);
  std::string text;
  while (text.size() < length) text += "abc \n"[rng.below(5)];
  return text;
}

class CompressorTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CompressorTest, GivesWhatCanBeRead) {
  for (const size_t length : {0, 1, 100, 1 << 20}) {
    const std::string text = sample(length), bytes = packed(GetParam(), text, 1000);
    EXPECT_FALSE(bytes.empty());
    EXPECT_TRUE(length <= 100 || bytes.size() < text.size());
    EXPECT_EQ(read_all(*unpack(input_of(bytes), "packed")), text);
  }
}

TEST_P(CompressorTest, PiecesMakeNoDifference) {
  const std::string text = sample(1 << 19), once = packed(GetParam(), text, text.size());
  for (const size_t piece : {7, 1 << 10, 100000}) EXPECT_EQ(packed(GetParam(), text, piece), once);
}

INSTANTIATE_TEST_SUITE_P(Names, CompressorTest, ::testing::Values("a.gz", "a.txt.zst"),
                         [](const auto& tested) {
                           return std::string(tested.param).ends_with("gz") ? "Gzip" : "Zstd";
                         });

TEST(Compressor, IsForNamesThatSaySo) {
  for (const char* plain : {"-", "a", "a.txt", "a.gz.txt", "zst", "gz"})
    EXPECT_EQ(compressor_for(plain), nullptr) << plain;
}

}  // namespace
}  // namespace heed
