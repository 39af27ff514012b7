// A few hundred damaged files for each reader, and files cut at every byte. mutated_readers.cpp has
// more of the first.
#include "every_reader.h"

namespace heed {
namespace {

using namespace heed::testing;

class DamagedFilesTest : public ::testing::TestWithParam<Reader> {};

TEST_P(DamagedFilesTest, AreRefusedOrReadSoundly) { read_mutated(GetParam(), 300); }

INSTANTIATE_TEST_SUITE_P(Every, DamagedFilesTest, ::testing::ValuesIn(every_reader()), named);

// damaged_folders_test cuts whole folders of models.
class CutFilesTest : public ::testing::TestWithParam<Reader> {};

TEST_P(CutFilesTest, AreRefusedOrReadSoundly) { read_cut(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Every, CutFilesTest, ::testing::ValuesIn(small_readers()), named);

}  // namespace
}  // namespace heed
