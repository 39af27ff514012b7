// Every bit of small model folders, of each kind and each storage.
#include "damaged_folders.h"

namespace heed {
namespace {

using testing::Bits;
using testing::flip;

TEST(FlippedBits, OfATransformer) {
  flip({testing::smallest_transformer(), WeightStorage::float32}, Bits::all);
}

TEST(FlippedBits, OfARecurrentNetwork) {
  flip({RnnConfig{.embedding = 2, .hidden = 2}, WeightStorage::float32}, Bits::all);
}

// Rows of fewer than 32 numbers would not be stored in fewer bits.
TEST(FlippedBits, OfSmallerNumbers) {
  for (const WeightStorage storage : {WeightStorage::float16, WeightStorage::int8})
    flip({RnnConfig{.embedding = 32, .hidden = 2}, storage}, Bits::all);
}

}  // namespace
}  // namespace heed
