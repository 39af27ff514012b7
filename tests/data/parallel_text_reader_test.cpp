#include "heed/data/parallel_text_reader.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "pairs_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::Pairs;

TEST(ParallelTextReader, PairsLines) {
  const testing::TemporaryFolder folder;
  ParallelTextReader reader(LineReader(folder.put("a.en", "one\ntwo\n")),
                            LineReader(folder.put("a.de", "eins\r\n\r\n")), false);
  EXPECT_EQ(testing::pairs_of(reader), (Pairs{{"one", "eins"}, {"two", ""}}));
}

TEST(ParallelTextReader, SaysHowManyLinesEachFileHas) {
  const testing::TemporaryFolder folder;
  const std::string shorter = folder.put("a.en", "one\n"),
                    longer = folder.put("a.de", "eins\nzwei\ndrei");
  for (const bool swapped : {false, true}) {
    const std::string& source = swapped ? longer : shorter;
    const std::string& target = swapped ? shorter : longer;
    ParallelTextReader reader(LineReader(source), LineReader(target), false);
    EXPECT_EQ(testing::error_of([&] { testing::pairs_of(reader); }),
              fmt::format("{} has {} lines but {} has {}, so they are not parallel", source,
                          swapped ? 3 : 1, target, swapped ? 1 : 3));
    ParallelTextReader truncating(LineReader(source), LineReader(target), true);
    EXPECT_EQ(testing::pairs_of(truncating).size(), 1u);
  }
}

}  // namespace
}  // namespace heed
