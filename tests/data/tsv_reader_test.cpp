#include "heed/data/tsv_reader.h"

#include <gtest/gtest.h>

#include "pairs_of.h"

namespace heed {
namespace {

using testing::Pairs;

TsvReader reader_of(const std::string& text) {
  return TsvReader(LineReader(input_of(text), "a.tsv"));
}

TEST(TsvReader, TakesTheFirstTwoColumns) {
  TsvReader reader = reader_of("one\teins\ntwo\tzwei\t0.9\tmore\n\t\nthree\t");
  EXPECT_EQ(testing::pairs_of(reader),
            (Pairs{{"one", "eins"}, {"two", "zwei"}, {"", ""}, {"three", ""}}));
}

TEST(TsvReader, ALineWithoutATabIsDropped) {
  TsvReader reader = reader_of("one\teins\nno tab\n\n");
  EXPECT_EQ(testing::drops_of(reader),
            (std::vector<Drop>{Drop::missing_column, Drop::missing_column}));
}

}  // namespace
}  // namespace heed
