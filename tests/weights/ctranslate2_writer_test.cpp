#include "heed/weights/ctranslate2_writer.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/weights/ctranslate2_file.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;
using Values = std::vector<double>;

Tensor tensor(const Shape& shape, const std::vector<float>& values) {
  return Tensor::copy_of(shape, std::span<const float>(values));
}

TEST(CTranslate2Writer, WritesWhatTheReaderReads) {
  const TemporaryFolder folder;
  CTranslate2Writer writer;
  writer.add("b/plain", tensor({2, 2}, {1, 2, 3, 0.1f}));
  writer.add("a/half", tensor({2}, {0.5, -2}), StoredType::f16);
  writer.add_int8("c/weight", tensor({3, 2}, {127, -64, 0, 0, 0.5, 0.25}));
  writer.add_flag("flag", true);
  writer.add_number8("eight", -3);
  writer.add_number16("sixteen", 300);
  writer.add_alias("other/weight", "c/weight");
  writer.save(folder.path("model.bin"), "TransformerSpec", 7);
  const CTranslate2File file = CTranslate2File::open(folder.path("model.bin"));
  EXPECT_EQ(file.specification(), "TransformerSpec");
  EXPECT_EQ(file.names(),
            (std::vector<std::string>{"a/half", "b/plain", "c/weight", "c/weight_scale", "eight",
                                      "flag", "other/weight", "other/weight_scale", "sixteen"}));
  EXPECT_EQ(values_of(file.read("b/plain")), (Values{1, 2, 3, 0.1f}));
  EXPECT_EQ(values_of(file.read("a/half")), (Values{0.5, -2}));
  EXPECT_EQ(values_of(file.read("c/weight_scale")), (Values{1, 1, 254}));
  EXPECT_EQ(values_of(file.read("c/weight")), (Values{127, -64, 0, 0, 0.5, 64.0f / 254}));
  EXPECT_EQ(values_of(file.read("other/weight")), values_of(file.read("c/weight")));
  EXPECT_EQ(file.number("flag", 0), 1);
  EXPECT_EQ(file.number("eight", 0), -3);
  EXPECT_EQ(file.number("sixteen", 0), 300);
}

// Byte by byte, as CTranslate2's own converter writes it.
TEST(CTranslate2Writer, HasTheBytesOfVersionSix) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  CTranslate2Writer writer;
  writer.add_number16("n", 4);
  writer.add("w", tensor({1}, {1}));
  writer.add_alias("x", "w");
  writer.save(folder.path("model.bin"), "S", 7);
  EXPECT_EQ(folder.text("model.bin"),
            "\x06\0\0\0\x02\0S\0\x07\0\0\0\x02\0\0\0"s +  // version, name, revision, two arrays
                "\x02\0n\0\0\x02\x02\0\0\0\x04\0"s +      // int16, rank 0
                "\x02\0w\0\x01\x01\0\0\0\0\x04\0\0\0\0\0\x80\x3f"s +  // float32, one of them
                "\x01\0\0\0\x02\0x\0\x02\0w\0"s);                     // one alias
}

TEST(CTranslate2Writer, RefusesWhatTheFormatCannotHold) {
  CTranslate2Writer writer;
  writer.add_flag("a", true);
  EXPECT_EQ(error_of([&] { writer.add_flag("a", true); }), "array \"a\" is written twice");
  EXPECT_EQ(error_of([&] { writer.add_alias("b", "c"); }), "array \"c\" is missing");
  EXPECT_EQ(error_of([&] { writer.add("h", tensor({1}, {1e6}), StoredType::f16); }),
            "array \"h\" holds 1000000, which is too large for float16");
}

}  // namespace
}  // namespace heed
