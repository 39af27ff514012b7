#include "heed/weights/npz_writer.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/weights/marian_file.h"
#include "heed/weights/zip_file.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;

// Byte for byte what Marian's own writer makes of these arrays.
TEST(NpzWriter, LaysArraysOutAsMariansReaderNeedsIt) {
  const TemporaryFolder folder;
  NpzWriter writer;
  writer.add("b", Tensor::full({1, 2}, 1));
  writer.add_text("a", "x: 1");
  writer.save(folder.path("m.npz"));
  const std::string bytes = folder.text("m.npz");
  const auto part = [](const std::string& name, const std::string& size) {
    return std::string("PK\x03\x04\x14\0\0\0\0\0\0\0\0\0", 14) + "...." + size + size +
           std::string("\x05\0\0\0", 4) + name;
  };
  // Without its checksum.
  const auto found = [&](size_t begin, size_t length) {
    std::string text = bytes.substr(begin, length);
    text.replace(14, 4, "....");
    return text;
  };
  const std::string first = part("a.npy", std::string("\x50\x01\0\0", 4));
  EXPECT_EQ(found(0, first.size()), first);
  const std::string header = bytes.substr(first.size(), 80);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\0\x46\0", 10));
  EXPECT_EQ(header.substr(10), "{'descr': '<i1', 'fortran_order': False, 'shape': (256,), }" +
                                   std::string(10, ' ') + "\n");
  EXPECT_EQ(bytes.substr(first.size() + 80, 256), "x: 1" + std::string(252, '\0'));
  const std::string second = part("b.npy", std::string("\x58\0\0\0", 4));
  EXPECT_EQ(found(first.size() + 80 + 256, second.size()), second);
  const ZipFile zip = ZipFile::open(folder.path("m.npz"));
  EXPECT_EQ(zip.names(), (std::vector<std::string>{"a.npy", "b.npy"}));
  EXPECT_EQ(zip.read_stored("b.npy").substr(10, 59),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }");
}

TEST(NpzWriter, IsReadAgain) {
  const TemporaryFolder folder;
  const Tensor matrix = random_tensor({3, 5}, 1), row = random_tensor({1, 4}, 2);
  NpzWriter writer;
  writer.add("m", matrix);
  writer.add("half", row, StoredType::f16);
  writer.add_text("special:model.yml", std::string(256, 'x'));
  writer.save(folder.path("m.npz"));
  const MarianFile file = MarianFile::open(folder.path("m.npz"));
  EXPECT_EQ(values_of(file.read("m")), values_of(matrix));
  EXPECT_EQ(file.shape("m"), (Shape{3, 5}));
  EXPECT_EQ(file.type("half"), MarianType::float16);
  for (int64_t i = 0; i < 4; ++i) EXPECT_NEAR(file.read("half")[i], row[i], 1e-3);
  EXPECT_EQ(file.text("special:model.yml"), std::string(256, 'x'));
  EXPECT_EQ(file.shape("special:model.yml"), Shape{512});  // there is a zero at the end
}

TEST(NpzWriter, RefusesWhatCannotBe) {
  NpzWriter writer;
  writer.add("a", Tensor::zeros({1}));
  EXPECT_EQ(error_of([&] { writer.add("a", Tensor::zeros({1})); }), "array \"a\" is written twice");
  EXPECT_EQ(error_of([&] { writer.add("b", Tensor::full({1}, 1e6), StoredType::f16); }),
            "array \"b\" holds 1000000, which is too large for float16");
}

}  // namespace
}  // namespace heed
