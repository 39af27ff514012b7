#include "heed/weights/ctranslate2_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ctranslate2_maker.h"
#include "error_of.h"
#include "external_data.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::CTranslate2Maker;
using heed::testing::error_of;
using heed::testing::external_data;
using heed::testing::values_of;
using Values = std::vector<double>;

CTranslate2File parse(CTranslate2Maker& made) {
  return CTranslate2File::parse(std::as_bytes(std::span(made.bytes())), "m.bin");
}

CTranslate2Maker small_file() {
  CTranslate2Maker file;
  file.integer(uint32_t{5});
  file.array<float>("a", {2, 2}, 0, {1, 2, 3, 4});
  file.array<int8_t>("b", {2, 2}, 1, {10, -20, 30, 40});
  file.array<float>("b_scale", {2}, 0, {10, 2});
  file.array<int16_t>("heads", {}, 2, {-4});
  file.array<uint16_t>("h", {2}, 4, {0x3c00, 0xc000});
  file.integer(uint32_t{1}).text("c").text("a");
  return file;
}

TEST(CTranslate2File, HoldsNamedArraysAndNumbers) {
  CTranslate2Maker made = small_file();
  const CTranslate2File file = parse(made);
  EXPECT_EQ(file.specification(), "TransformerSpec");
  EXPECT_EQ(file.names(), (std::vector<std::string>{"a", "b", "b_scale", "c", "h", "heads"}));
  EXPECT_EQ(file.shape("a"), (Shape{2, 2}));
  EXPECT_EQ(values_of(file.read("a")), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values_of(file.read("c")), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values_of(file.read("b")), (Values{1, -2, 15, 20}));
  EXPECT_EQ(values_of(file.read("h")), (Values{1, -2}));
  EXPECT_EQ(file.number("heads", 8), -4);
  EXPECT_EQ(file.number("absent", 8), 8);
}

TEST(CTranslate2File, OldVersionsTellTheSizesOfNumbersOnly) {
  CTranslate2Maker made(2);
  made.integer(uint32_t{3});
  made.array<float>("a", {2}, 4, {1, 2});
  made.array<int16_t>("b", {2}, 2, {500, -1000});
  made.array<float>("b_scale", {}, 4, {1000});
  const CTranslate2File file = parse(made);
  EXPECT_EQ(values_of(file.read("a")), (Values{1, 2}));
  EXPECT_EQ(values_of(file.read("b")), (Values{0.5, -1}));
}

TEST(CTranslate2File, NamesWhatIsWrong) {
  const auto error = [](auto change) {
    CTranslate2Maker made = small_file();
    change(made.bytes());
    return error_of([&] { (void)parse(made); });
  };
  EXPECT_EQ(error([](std::string& b) { b[0] = 7; }), "m.bin: version 7 but 2 to 6 was expected");
  EXPECT_EQ(error([](std::string& b) { b.resize(2); }),
            "m.bin: the version needs 4 bytes but 2 are left");
  EXPECT_EQ(error([](std::string& b) { b += "xx"; }), "m.bin: 2 bytes are left at the end");
  EXPECT_EQ(error([](std::string& b) { b[b.find("TransformerSpec") + 15] = 'x'; }),
            "m.bin: the specification's name does not end with a NUL");
  EXPECT_EQ(error([](std::string& b) { b[b.find("heads") + 6] = 9; }),
            "m.bin: array \"heads\" has 9 axes but at most 6 were expected");
  EXPECT_EQ(error([](std::string& b) { b[b.find("heads") + 7] = 6; }),
            "m.bin: array \"heads\" has type 6 but 0 to 5 was expected");
  EXPECT_EQ(error([](std::string& b) { b[b.find("heads") + 8] = 3; }),
            "m.bin: array \"heads\" of shape () and type I16 has 3 bytes");
  EXPECT_EQ(error([](std::string& b) { b[b.size() - 2] = 'z'; }), "m.bin: array \"z\" is missing");
  EXPECT_EQ(error([](std::string& b) { b[b.size() - 2] = '\n'; }),
            "m.bin: array \"\\x0a\" is missing");
  EXPECT_EQ(error([](std::string& b) { b[b.size() - 6] = 'h'; }),
            "m.bin: array \"h\" occurs twice");
}

TEST(CTranslate2File, RefusesNumbersThatMakeNoSense) {
  CTranslate2Maker made;
  made.integer(uint32_t{4});
  made.array<float>("a", {1}, 0, {NAN});
  made.array<int8_t>("b", {2}, 1, {1, 2});
  made.array<int8_t>("c", {2}, 1, {1, 2});
  made.array<float>("c_scale", {3}, 0, {1, 2, 3});
  made.integer(uint32_t{0});
  const CTranslate2File file = parse(made);
  EXPECT_EQ(error_of([&] { (void)file.read("a"); }),
            "m.bin: array \"a\" holds nan but finite numbers were expected");
  EXPECT_EQ(error_of([&] { (void)file.read("b"); }), "m.bin: array \"b_scale\" is missing");
  EXPECT_EQ(
      error_of([&] { (void)file.read("c"); }),
      "m.bin: array \"c_scale\" has shape (3) and type F32 but one F32 number, or 1, was expected");
  EXPECT_EQ(error_of([&] { (void)file.number("a", 0); }),
            "m.bin: array \"a\" has shape (1) and type F32 but a single integer was expected");
}

TEST(CTranslate2File, ReadsRealModels) {
  const auto real = external_data("multi30k-model") / "model.bin";
  const auto old = external_data("aren-transliteration") / "model.bin";
  if (!std::filesystem::exists(real) || !std::filesystem::exists(old))
    GTEST_SKIP() << "no " << real;
  const CTranslate2File file = CTranslate2File::open(real);
  EXPECT_EQ(file.number("encoder/num_heads", 0), 4);
  EXPECT_EQ(file.read("decoder/projection/weight").shape(), (Shape{10000, 128}));
  EXPECT_EQ(CTranslate2File::open(old).read("encoder/embeddings/weight").shape(), (Shape{51, 32}));
}

}  // namespace
}  // namespace heed
