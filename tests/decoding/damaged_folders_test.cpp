#include "damaged_folders.h"

#include "ctranslate2_sample.h"
#include "error_of.h"
#include "heed/folders/ctranslate2_folder.h"
#include "heed/weights/tensor_file.h"

namespace heed {
namespace {

using testing::DamagedFolder;
using testing::error_of;
using testing::TemporaryFolder;

// At every byte of short files and headers, and at a thousand places elsewhere.
std::vector<size_t> places_to_cut(size_t header, size_t size) {
  std::vector<size_t> places;
  const size_t step = std::max<size_t>(1, (size - header) / 1000);
  for (size_t place = 0; place < size; place += place < header ? 1 : step) places.push_back(place);
  places.push_back(size - 1);
  return places;
}

TEST(DamagedFolders, ABitInAnyByteIsNoticed) {
  testing::flip({testing::smallest_transformer(), WeightStorage::float32},
                testing::Bits::one_per_byte);
}

TEST(DamagedFolders, AFileThatWasCutIsRefused) {
  const DamagedFolder folder(testing::smallest_transformer(), WeightStorage::float32);
  ASSERT_EQ(folder.files().size(), 6u);
  for (const std::string& file : folder.files()) {
    const std::string whole = folder.text(file);
    for (const size_t size : places_to_cut(8192, whole.size())) {
      // JSON readers ignore a final line feed.
      const bool same_to_readers = file == "config.json" && size == whole.size() - 1;
      EXPECT_EQ(folder.refuses(file, whole.substr(0, size), whole), !same_to_readers)
          << file << " of " << size << " bytes";
    }
  }
}

// Other tools write no checksums; the layout alone must be enough.
TEST(DamagedFolders, WeightsOfOthersThatWereCutAreRefused) {
  const TemporaryFolder folder(testing::fast_folder());
  TensorFileWriter writer;
  for (int i = 0; i < 40; ++i) writer.add(fmt::format("array.{}", i), Tensor::full({10, 10}, i));
  writer.save(folder.path("whole"));
  const std::string whole = folder.text("whole");
  for (const size_t size : places_to_cut(8192, whole.size())) {
    folder.put("cut", whole.substr(0, size));
    EXPECT_NE(error_of([&] { TensorFile::open(folder.path("cut")); }), "(nothing was thrown)")
        << size;
  }
}

TEST(DamagedFolders, AModelOfCTranslate2ThatWasCutIsRefused) {
  const TemporaryFolder folder(testing::fast_folder());
  testing::ctranslate2_sample::write_folder(folder);
  const std::string whole = folder.text("model.bin");
  for (const size_t size : places_to_cut(8192, whole.size())) {
    folder.put("model.bin", whole.substr(0, size));
    EXPECT_NE(error_of([&] { read_ctranslate2_folder(folder.path("")); }), "(nothing was thrown)")
        << size;
  }
}

}  // namespace
}  // namespace heed
