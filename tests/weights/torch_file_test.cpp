#include "heed/weights/torch_file.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/base/files.h"
#include "paths.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::values_of;
using Values = std::vector<double>;

std::filesystem::path file_of(const std::string& form) {
  return std::filesystem::path(heed::testing::golden_folder) / "torch" / (form + ".bin");
}

Values counted(int count) {
  Values values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  return values;
}

class EveryForm : public ::testing::TestWithParam<const char*> {};

// See tests/golden/torch_files.py.
TEST_P(EveryForm, HoldsNamedTensors) {
  const TorchFile file = TorchFile::open(file_of(GetParam()));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"bfloat", "double", "empty", "every_second",
                                                    "half", "numbers", "parameter", "part", "plain",
                                                    "shared", "single", "transposed"}));
  EXPECT_EQ(file.shape("plain"), (Shape{4, 6}));
  EXPECT_EQ(values_of(file.read("plain")), counted(24));
  EXPECT_EQ(values_of(file.read("shared")), counted(24));
  EXPECT_EQ(file.shape("transposed"), (Shape{6, 4}));
  EXPECT_EQ(values_of(file.read("transposed").slice(0, 2)), (Values{0, 6, 12, 18, 1, 7, 13, 19}));
  EXPECT_EQ(values_of(file.read("part")), (Values{8, 9, 10, 14, 15, 16}));
  EXPECT_EQ(values_of(file.read("every_second")).at(11), 22);
  EXPECT_EQ(file.type("half"), StoredType::f16);
  EXPECT_EQ(values_of(file.read("half")), counted(6));
  EXPECT_EQ(file.type("bfloat"), StoredType::bf16);
  EXPECT_EQ(values_of(file.read("bfloat")), counted(4));
  EXPECT_EQ(values_of(file.read("double")), counted(3));
  EXPECT_EQ(file.shape("single"), Shape());
  EXPECT_EQ(values_of(file.read("single")), Values{7.5});
  EXPECT_EQ(file.shape("empty"), (Shape{0, 3}));
  EXPECT_EQ(values_of(file.read("empty")), Values{});
  EXPECT_EQ(values_of(file.read("parameter")), counted(2));
  EXPECT_EQ(file.type("numbers"), StoredType::i64);
  EXPECT_EQ(
      error_of([&] { (void)file.read("numbers"); }),
      file_of(GetParam()).string() + ": array \"numbers\" has type I64 but floats were expected");
  EXPECT_EQ(error_of([&] { (void)file.read("nothing"); }),
            file_of(GetParam()).string() + ": array \"nothing\" is missing");
}

INSTANTIATE_TEST_SUITE_P(TorchFile, EveryForm, ::testing::Values("zip", "old", "protocol4"),
                         [](const auto& test) { return std::string(test.param); });

TEST(TorchFile, CallsNothing) {
  EXPECT_EQ(error_of([] { TorchFile::open(file_of("function")); }),
            file_of("function").string() +
                ": the pickle names \"__builtin__.print\", which is no part of a tensor and is "
                "refused");
  EXPECT_EQ(error_of([] { TorchFile::open(file_of("module")); }),
            file_of("module").string() +
                ": the pickle names \"torch.nn.modules.linear.Linear\", which is no part of a "
                "tensor and is refused");
}

// The bytes of a file in the older form with one text in place of another.
std::string changed(const std::string& from, const std::string& to, const std::string& form) {
  const MappedFile file(file_of(form));
  std::string bytes(file.text());
  const size_t place = bytes.find(from);
  EXPECT_NE(place, bytes.npos);
  return bytes.replace(place, from.size(), to);
}

std::string refusal(const std::string& bytes) {
  return error_of([&] { TorchFile::parse(std::as_bytes(std::span(bytes)), "m.bin"); });
}

TEST(TorchFile, SizesAreComparedWithWhatIsThere) {
  using namespace std::string_literals;
  // The shape (4, 6) of a storage of 24 numbers, with its strides (6, 1).
  const std::string shape = "K\x04K\x06\x86"s;
  EXPECT_EQ(refusal(changed(shape, "K\x05K\x06\x86"s, "old")),
            "m.bin: array \"plain\" of shape (5, 6) does not fit into its storage of 24 numbers");
  // One of the arrays that share it says that it has 25.
  EXPECT_NE(refusal(changed("K\x18N", "K\x19N", "old")).find("is described in two ways"),
            std::string::npos);
}

TEST(TorchFile, RefusesWhatPyTorchHasNotSaved) {
  EXPECT_EQ(refusal(""),
            "m.bin: begins neither as a zip archive nor as a pickle, so PyTorch has not saved it");
  EXPECT_EQ(refusal("\x80\x02K\x01."), "m.bin: does not begin with PyTorch's magic number");
  EXPECT_EQ(refusal("PK\x03\x04 and so on"),
            "m.bin: is not a zip archive that can be read: Not a zip archive");
}

TEST(TorchFile, FilesThatLackTheirEndAreRefused) {
  for (const char* form : {"zip", "old"}) {
    const MappedFile whole(file_of(form));
    for (size_t size = 0; size < whole.text().size(); ++size) {
      const std::string said = refusal(std::string(whole.text().substr(0, size)));
      ASSERT_TRUE(said.starts_with("m.bin: ")) << form << " of " << size << " bytes: " << said;
    }
  }
}

}  // namespace
}  // namespace heed
