// Files that were damaged at random, very many for each reader; HEED_MUTATIONS says how many
// (100,000). A slow program of its own, best under the address sanitizer:
//   cmake --build --preset asan --target mutated_readers && build/asan/mutated_readers
#include <cstdlib>

#include "every_reader.h"

// Where the sanitizer is linked, no file may ask for more at once: zstd believes windows of up to
// 128 MB. NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=256"; }
// NOLINTEND(bugprone-reserved-identifier)

namespace heed {
namespace {

using namespace heed::testing;

int mutations() {
  const char* count = std::getenv("HEED_MUTATIONS");
  return count == nullptr ? 100'000 : std::atoi(count);
}

class MutatedReadersTest : public ::testing::TestWithParam<Reader> {};

TEST_P(MutatedReadersTest, RefuseOrReadSoundly) { read_mutated(GetParam(), mutations()); }

INSTANTIATE_TEST_SUITE_P(Every, MutatedReadersTest, ::testing::ValuesIn(every_reader()), named);

}  // namespace
}  // namespace heed
