#include "heed/weights/tensor_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "close.h"
#include "heed/base/error.h"
#include "temporary_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

template <typename Action>
std::string sentence(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string little_endian(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

template <typename T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

// A file put together byte by byte, without the writer.
struct HandMade {
  HandMade(std::string_view json, std::string_view data)
      : bytes(little_endian(json.size()) + std::string(json) + std::string(data)) {}

  TensorFile parse() const { return TensorFile::parse(std::as_bytes(std::span(bytes)), "f"); }

  std::string bytes;
};

// One array "a" of the given type and shape.
HandMade one_array(std::string_view type, std::string_view shape, std::string_view data) {
  return {fmt::format(R"({{"a":{{"dtype":"{}","shape":{},"data_offsets":[0,{}]}}}})", type, shape,
                      data.size()),
          data};
}

std::string truncated_sentence(std::string_view bytes) {
  return sentence([&] { TensorFile::parse(std::as_bytes(std::span(bytes)), "f"); });
}

class TensorFiles : public ::testing::Test {
 protected:
  TensorFiles() {
    std::string name = (fs::temp_directory_path() / "heed_weights_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~TensorFiles() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST(TensorFile, ReadsBytesWrittenByHand) {
  const HandMade file(
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2,2],"data_offsets":[1,17]},)"
      R"("flag":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})",
      raw<uint8_t>({1}) + raw<float>({1.5f, -2.0f, 0.25f, 1e-3f}));
  const TensorFile tensors = file.parse();
  EXPECT_EQ(tensors.names(), (std::vector<std::string>{"flag", "w"}));
  EXPECT_EQ(tensors.metadata().at("format"), "pt");
  EXPECT_TRUE(tensors.contains("w"));
  EXPECT_FALSE(tensors.contains("v"));
  EXPECT_EQ(tensors.shape("w"), (Shape{2, 2}));
  const Tensor w = tensors.read("w", Type::float32);
  EXPECT_EQ(w.shape(), (Shape{2, 2}));
  EXPECT_TRUE(
      testing::close(w.span<float>(), std::span<const float>({1.5f, -2.0f, 0.25f, 1e-3f}), 0, 0));
  EXPECT_EQ(tensors.read_booleans("flag"), std::vector<uint8_t>{1});
}

TEST(TensorFile, EveryTruncationIsNoticed) {
  const std::string whole = one_array("F32", "[2]", raw<float>({1, 2})).bytes;
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(truncated_sentence(std::string_view(whole).substr(0, length)), "no error") << length;
  EXPECT_EQ(truncated_sentence(whole), "no error");
  EXPECT_EQ(truncated_sentence(whole + "x"), "f: its arrays take 8 bytes but 9 follow the header");
  EXPECT_EQ(truncated_sentence(""), "f: 0 bytes long but a safetensors file has at least 8");
  EXPECT_EQ(truncated_sentence(little_endian(4) + "{}"),
            "f: header of 4 bytes but only 2 follow its length");
}

TEST(TensorFile, ALyingHeaderLengthIsNoticed) {
  EXPECT_EQ(truncated_sentence(little_endian(UINT64_MAX) + "{}"),
            "f: header of 18446744073709551615 bytes but at most 100000000 are allowed");
  EXPECT_EQ(truncated_sentence(little_endian(100'000'001) + "{}"),
            "f: header of 100000001 bytes but at most 100000000 are allowed");
  EXPECT_EQ(truncated_sentence(little_endian(100'000'000) + "{}"),
            "f: header of 100000000 bytes but only 2 follow its length");
  EXPECT_EQ(truncated_sentence(little_endian(0)),
            "f: the header begins with nothing but \"{\" was expected");
}

// What half precision means, computed from its definition.
double half_value(uint16_t half) {
  const double sign = (half >> 15) != 0 ? -1 : 1;
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(TensorFile, ReadsEveryHalfExactly) {
  std::string data(65536 * 2, '\0');
  std::vector<double> expected(65536);
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto half = static_cast<uint16_t>(i);
    std::memcpy(data.data() + 2 * i, &half, 2);
    expected[i] = half_value(half);
  }
  const HandMade file = one_array("F16", "[65536]", data);
  const Tensor narrow = file.parse().read("a", Type::float32);
  EXPECT_TRUE(testing::close(narrow.span<float>(), std::span<const double>(expected), 0, 0));
  EXPECT_TRUE(std::signbit(narrow.span<float>()[0x8000]));
  const Tensor wide = file.parse().read("a", Type::float64);
  EXPECT_TRUE(testing::close(wide.span<double>(), std::span<const double>(expected), 0, 0));
}

TEST(TensorFile, ReadsBfloat16Exactly) {
  const HandMade file = one_array("BF16", "[4]", raw<uint16_t>({0x3F80, 0xC040, 0x0001, 0xFF80}));
  const Tensor tensor = file.parse().read("a", Type::float32);
  EXPECT_TRUE(testing::close(
      tensor.span<float>(),
      std::span<const float>({1.0f, -3.0f, std::bit_cast<float>(0x00010000), -INFINITY}), 0, 0));
}

TEST(TensorFile, WidensButNeverNarrows) {
  const HandMade single = one_array("F32", "[1]", raw<float>({0.1f}));
  EXPECT_EQ(single.parse().read("a", Type::float64)[0], static_cast<double>(0.1f));
  const HandMade wide = one_array("F64", "[1]", raw<double>({0.1}));
  EXPECT_EQ(wide.parse().read("a", Type::float64)[0], 0.1);
  EXPECT_EQ(sentence([&] { wide.parse().read("a", Type::float32); }),
            "f: array \"a\" has type F64 but F32 was expected");
}

TEST(TensorFile, ReadsIntegersOfEveryWidth) {
  using Integers = std::vector<int64_t>;
  EXPECT_EQ(
      one_array("I64", "[2]", raw<int64_t>({INT64_MIN, INT64_MAX})).parse().read_integers("a"),
      (Integers{INT64_MIN, INT64_MAX}));
  EXPECT_EQ(one_array("I32", "[2]", raw<int32_t>({-7, INT32_MAX})).parse().read_integers("a"),
            (Integers{-7, INT32_MAX}));
  EXPECT_EQ(one_array("I16", "[1]", raw<int16_t>({-300})).parse().read_integers("a"),
            Integers{-300});
  EXPECT_EQ(one_array("I8", "[1]", raw<int8_t>({-3})).parse().read_integers("a"), Integers{-3});
  EXPECT_EQ(one_array("U32", "[1]", raw<uint32_t>({UINT32_MAX})).parse().read_integers("a"),
            Integers{UINT32_MAX});
  EXPECT_EQ(one_array("U16", "[1]", raw<uint16_t>({UINT16_MAX})).parse().read_integers("a"),
            Integers{UINT16_MAX});
  EXPECT_EQ(one_array("U8", "[3]", raw<uint8_t>({0, 128, 255})).parse().read_integers("a"),
            (Integers{0, 128, 255}));
}

TEST(TensorFile, NamesTheWrongType) {
  const HandMade integers = one_array("I32", "[1]", raw<int32_t>({1}));
  EXPECT_EQ(sentence([&] { integers.parse().read("a", Type::float32); }),
            "f: array \"a\" has type I32 but F32 was expected");
  EXPECT_EQ(sentence([&] { integers.parse().read("a", Type::float64); }),
            "f: array \"a\" has type I32 but F64 was expected");
  EXPECT_EQ(sentence([&] { integers.parse().read_booleans("a"); }),
            "f: array \"a\" has type I32 but BOOL was expected");
  const HandMade floats = one_array("F32", "[1]", raw<float>({1}));
  EXPECT_EQ(sentence([&] { floats.parse().read_integers("a"); }),
            "f: array \"a\" has type F32 but I64 was expected");
  const HandMade unsigned_integers = one_array("U64", "[1]", raw<uint64_t>({1}));
  EXPECT_EQ(sentence([&] { unsigned_integers.parse().read_integers("a"); }),
            "f: array \"a\" has type U64 but I64 was expected");
}

TEST(TensorFile, KnowsTypesThatItCannotRead) {
  const HandMade file = one_array("F8_E4M3", "[2]", "xy");
  EXPECT_EQ(file.parse().entry("a").type, StoredType::f8_e4m3);
  EXPECT_EQ(sentence([&] { file.parse().read("a", Type::float32); }),
            "f: array \"a\" has type F8_E4M3 but F32 was expected");
}

TEST(TensorFile, ATruthValueIsZeroOrOne) {
  const HandMade file = one_array("BOOL", "[3]", raw<uint8_t>({0, 1, 2}));
  EXPECT_EQ(sentence([&] { file.parse().read_booleans("a"); }),
            "f: array \"a\" holds 2 at (2) but 0 or 1 was expected");
}

TEST(TensorFile, FindsWhatIsNotFinite) {
  const HandMade good = one_array("F32", "[2]", raw<float>({1, std::numeric_limits<float>::max()}));
  EXPECT_EQ(good.parse().read_finite("a", Type::float32)[0], 1.0);
  const HandMade nan = one_array("F32", "[2,1,3]", raw<float>({1, 2, 3, 4, 5, NAN}));
  EXPECT_EQ(sentence([&] { nan.parse().read_finite("a", Type::float32); }),
            "f: array \"a\" holds nan at (1, 0, 2) but finite numbers were expected");
  const HandMade infinite = one_array("F64", "[]", raw<double>({-INFINITY}));
  EXPECT_EQ(sentence([&] { infinite.parse().read_finite("a", Type::float64); }),
            "f: array \"a\" holds -inf at () but finite numbers were expected");
}

TEST(TensorFile, NamesTheMissingArray) {
  const HandMade file = one_array("F32", "[1]", raw<float>({1}));
  EXPECT_EQ(sentence([&] { file.parse().read("keys", Type::float32); }),
            "f: array \"keys\" is missing; the file holds \"a\"");
  EXPECT_EQ(sentence([&] { HandMade("{}", "").parse().entry("keys"); }),
            "f: array \"keys\" is missing; the file holds nothing");
}

TEST(TensorFile, SevenAxesAreTooMany) {
  const HandMade file = one_array("F32", "[1,1,1,1,1,1,1]", raw<float>({1}));
  EXPECT_EQ(sentence([&] { file.parse().read("a", Type::float32); }),
            "f: array \"a\" has 7 axes but at most 6 are supported");
}

TEST(TensorFile, EmptyArraysAreRead) {
  const HandMade file = one_array("F32", "[0,3]", "");
  EXPECT_EQ(file.parse().read("a", Type::float32).shape(), (Shape{0, 3}));
}

TEST_F(TensorFiles, WhatIsWrittenIsReadBack) {
  const fs::path path = folder_ / "x.safetensors";
  TensorFileWriter writer;
  writer.add("weights", Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6}));
  writer.add("check", Tensor::full({1}, 0.1, Type::float64));
  writer.add("nothing", Tensor::zeros({0, 4}));
  writer.add("number", Tensor::full({}, 7));
  writer.add_integers("lengths", {2}, {-1, 1LL << 40});
  writer.add_booleans("mask", {3}, {1, 0, 1});
  writer.set_metadata("made by", "heed");
  writer.save(path);

  const TensorFile file = TensorFile::open(path);
  EXPECT_EQ(file.names(),
            (std::vector<std::string>{"check", "lengths", "mask", "nothing", "number", "weights"}));
  EXPECT_EQ(file.metadata().at("made by"), "heed");
  const Tensor weights = file.read("weights", Type::float32);
  EXPECT_EQ(weights.shape(), (Shape{2, 3}));
  EXPECT_TRUE(
      testing::close(weights.span<float>(), std::span<const float>({1, 2, 3, 4, 5, 6}), 0, 0));
  EXPECT_EQ(file.read("check", Type::float64)[0], 0.1);
  EXPECT_EQ(file.read("nothing", Type::float32).shape(), (Shape{0, 4}));
  EXPECT_EQ(file.read("number", Type::float32).shape(), Shape{});
  EXPECT_EQ(file.read_integers("lengths"), (std::vector<int64_t>{-1, 1LL << 40}));
  EXPECT_EQ(file.read_booleans("mask"), (std::vector<uint8_t>{1, 0, 1}));
}

TEST_F(TensorFiles, MappedNumbersStayInTheFileAndOutliveTheReader) {
  const fs::path path = folder_ / "x.safetensors";
  TensorFileWriter writer;
  writer.add("weights", Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6}));
  writer.add("nothing", Tensor::zeros({0, 4}));
  writer.add_half("halves", Tensor::of({2, 1}, {0.5, 2}));
  writer.save(path);
  std::optional<TensorFile> file = TensorFile::open(path);
  Tensor weights = file->map_finite("weights");
  const Tensor again = file->map_finite("weights");
  EXPECT_EQ(std::as_const(weights).data<float>(), again.data<float>());
  EXPECT_EQ(file->map_finite("nothing").shape(), (Shape{0, 4}));
  EXPECT_EQ(file->map_finite("halves")[1], 2.0);
  file.reset();
  EXPECT_EQ(weights.shape(), (Shape{2, 3}));
  weights.fill(7);
  EXPECT_EQ(weights[5], 7.0);
  EXPECT_EQ(TensorFile::open(path).map_finite("weights")[5], 6.0);
}

TEST_F(TensorFiles, MappedNumbersAreFinite) {
  const fs::path path = folder_ / "x.safetensors";
  TensorFileWriter writer;
  writer.add("a", Tensor::of({2, 2}, {1, 2, INFINITY, 4}));
  writer.save(path);
  EXPECT_EQ(sentence([&] { TensorFile::open(path).map_finite("a"); }),
            path.string() + ": array \"a\" holds inf at (1, 0) but finite numbers were expected");
}

// The bytes that other implementations of the format write for the same arrays.
TEST_F(TensorFiles, WritesTheUsualLayout) {
  const fs::path path = folder_ / "x.safetensors";
  TensorFileWriter writer;
  writer.add_booleans("a", {1}, {1});
  writer.add("b", Tensor::of({1}, {1.0f}));
  writer.add_integers("c", {1}, {5});
  writer.save(path);
  const std::vector<std::byte> bytes = read_file(path);
  const std::string json = R"({"a":{"data_offsets":[12,13],"dtype":"BOOL","shape":[1]},)"
                           R"("b":{"data_offsets":[8,12],"dtype":"F32","shape":[1]},)"
                           R"("c":{"data_offsets":[0,8],"dtype":"I64","shape":[1]}})";
  const std::string padded = json + std::string((8 - json.size() % 8) % 8, ' ');
  const std::string expected = little_endian(padded.size()) + padded + raw<int64_t>({5}) +
                               raw<float>({1}) + raw<uint8_t>({1});
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
}

TEST_F(TensorFiles, TheWriterRefusesWhatNobodyCouldRead) {
  TensorFileWriter writer;
  writer.add("a", Tensor::zeros({1}));
  EXPECT_EQ(sentence([&] { writer.add("a", Tensor::zeros({1})); }), "array \"a\" is written twice");
  EXPECT_EQ(sentence([&] { writer.add("__metadata__", Tensor::zeros({1})); }),
            "\"__metadata__\" cannot be the name of an array");
  EXPECT_EQ(sentence([&] { writer.add("\xFF", Tensor::zeros({1})); }),
            "\"\uFFFD\" cannot be the name of an array");
  EXPECT_EQ(sentence([&] { writer.add("b", Tensor()); }),
            "array \"b\": there is no tensor to write");
  EXPECT_EQ(sentence([&] { writer.add_integers("b", {2}, {1}); }),
            "array \"b\": shape (2) of I64 but 8 bytes");
  EXPECT_EQ(sentence([&] { writer.set_metadata("k", "\xFF"); }), "metadata \"k\" is not UTF-8");
}

TEST_F(TensorFiles, AFileMayReplaceTheOneItWasReadFrom) {
  const fs::path path = folder_ / "x.safetensors";
  TensorFileWriter first;
  first.add("a", Tensor::full({1000}, 1));
  first.save(path);
  const TensorFile old = TensorFile::open(path);
  TensorFileWriter second;
  second.add("a", Tensor::full({1}, 2));
  second.save(path);
  EXPECT_EQ(old.read("a", Type::float32)[999], 1.0);
  EXPECT_EQ(TensorFile::open(path).read("a", Type::float32)[0], 2.0);
}

TEST_F(TensorFiles, ErrorsNameTheFile) {
  const std::string path = (folder_ / "x.safetensors").string();
  std::ofstream(path) << "not a tensor file at all";
  EXPECT_EQ(sentence([&] { TensorFile::open(path); }).rfind(path + ": header of ", 0), 0u);
  EXPECT_EQ(sentence([&] { TensorFile::open(folder_ / "none"); }),
            (folder_ / "none").string() + ": cannot be read: No such file or directory");
}

TEST(TensorFileWriter, TakesNumbersInPieces) {
  const testing::TemporaryFolder folder;
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  const auto write = [&](const std::string& name, size_t count) {
    TensorFileWriter writer;
    writer.add("after", Tensor::of({1}, {9}));
    writer.add_stream("numbers", {2, 3}, [&](const TensorFileWriter::NumberSink& sink) {
      for (size_t i = 0; i < count; ++i) sink(std::span(numbers).subspan(i, 1));
    });
    writer.save(folder.path(name));
  };
  write("pieces", 6);
  TensorFileWriter whole;
  whole.add("after", Tensor::of({1}, {9}));
  whole.add("numbers", Tensor::copy_of<float>({2, 3}, numbers));
  whole.save(folder.path("whole"));
  EXPECT_EQ(folder.text("pieces"), folder.text("whole"));
  EXPECT_EQ(sentence([&] { write("short", 5); }),
            "array \"numbers\": 5 numbers came for shape (2, 3)");
  EXPECT_FALSE(std::filesystem::exists(folder.path("short")));
}

TEST(TensorFile, MetadataCanBeReplaced) {
  const heed::testing::TemporaryFolder folder;
  TensorFileWriter writer;
  writer.add("floats", Tensor::full({3}, 2.5));
  writer.add_int8("integers", {3}, {1, -2, 3});
  writer.set_metadata("old", "entry");
  writer.save(folder.path("file"));
  replace_metadata(folder.path("file"), {{"new", "one"}, {"another", std::string(1000, 'x')}});
  const TensorFile file = TensorFile::open(folder.path("file"));
  EXPECT_EQ(file.metadata().size(), 2u);
  EXPECT_EQ(file.metadata().at("new"), "one");
  EXPECT_EQ(file.read("floats", Type::float32)[2], 2.5);
  EXPECT_EQ(file.read_integers("integers"), (std::vector<int64_t>{1, -2, 3}));
}

}  // namespace
}  // namespace heed
