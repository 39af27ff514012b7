#include "heed/weights/marian_shortlist.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "external_data.h"
#include "heed/base/files.h"
#include "marian_shortlist_maker.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::external_data;
using heed::testing::marian_shortlist_bytes;

MarianShortlist parse(const std::string& bytes) {
  return parse_marian_shortlist(std::as_bytes(std::span(bytes)), "lex.bin");
}

TEST(MarianShortlist, HasCandidatesForEachSourceWord) {
  const MarianShortlist found = parse(marian_shortlist_bytes(2, {0, 1, 1, 3}, {7, 5, 9}));
  EXPECT_EQ(found.frequent, 2u);
  EXPECT_EQ(found.offsets, (std::vector<uint64_t>{0, 1, 1, 3}));
  EXPECT_EQ(found.targets, (std::vector<uint32_t>{7, 5, 9}));
}

TEST(MarianShortlist, RefusesWhatIsDamaged) {
  const std::string good = marian_shortlist_bytes(2, {0, 1, 1, 3}, {7, 5, 9, 4});
  const auto refusal = [](const std::string& bytes) { return error_of([&] { parse(bytes); }); };
  EXPECT_EQ(refusal("short"), "lex.bin: 5 bytes are too few for a shortlist");
  EXPECT_EQ(refusal(std::string(100, 'x')), "lex.bin: is not a binary shortlist of Marian");
  EXPECT_EQ(refusal(good), "lex.bin: the offsets do not go from 0 to the 4 candidates");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 4)),
            "lex.bin: 4 offsets and 4 candidates do not fit 92 bytes");
  std::string flipped = good;
  flipped[20] = 'x';
  EXPECT_TRUE(refusal(flipped).starts_with("lex.bin: damaged: the checksum is "));
}

TEST(MarianShortlist, ReadsThoseThatAreShipped) {
  const auto folder = external_data("bergamot-parts");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  for (const char* name : {"ende/lex.50.50.ende.s2t.bin", "enes/lex.50.50.enes.s2t.bin"}) {
    const MappedFile file(folder / name);
    const MarianShortlist found = parse_marian_shortlist(std::as_const(file).bytes(), name);
    EXPECT_EQ(found.frequent, 50u);
    EXPECT_GT(found.offsets.size(), 30000u);
    EXPECT_GT(found.targets.size(), 100000u);
  }
}

}  // namespace
}  // namespace heed
