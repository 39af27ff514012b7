#include "heed/weights/marian_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "close.h"
#include "error_of.h"
#include "marian_maker.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::MarianMaker;
using heed::testing::values_of;
using Values = std::vector<double>;

MarianFile parse(const std::string& bytes) {
  return MarianFile::parse(std::as_bytes(std::span(bytes)), "m");
}

MarianMaker small() {
  MarianMaker made;
  made.floats("layer_W", {2, 3}, {1, 2, 3, 4, 5, 6}).floats("layer_b", {1, 3}, {7, 8, 9});
  made.settings("type: transformer\n");
  return made;
}

TEST(MarianFile, HoldsTheSameArraysInBothForms) {
  for (const std::string& bytes : {small().npz(), small().binary()}) {
    ASSERT_TRUE(MarianFile::is_marian(std::as_bytes(std::span(bytes))));
    const MarianFile file = parse(bytes);
    EXPECT_EQ(file.names(), (std::vector<std::string>{"layer_W", "layer_b", "special:model.yml"}));
    EXPECT_EQ(file.shape("layer_W"), (Shape{2, 3}));
    EXPECT_EQ(values_of(file.read("layer_W")), (Values{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(file.read_rows("layer_W").shape(), (Shape{3, 2}));
    EXPECT_EQ(values_of(file.read_rows("layer_W")), (Values{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(values_of(file.read("layer_b")), (Values{7, 8, 9}));
    EXPECT_EQ(file.text("special:model.yml"), "type: transformer\n");
    EXPECT_EQ(error_of([&] { file.read("other"); }), "m: array \"other\" is missing");
    EXPECT_EQ(error_of([&] { file.read("special:model.yml"); }),
              "m: array \"special:model.yml\" is text, but numbers were expected");
  }
}

// Stored transposed, but for tables of words, and followed by the multiplier.
TEST(MarianFile, DividesIntegersByTheirMultiplier) {
  for (const uint64_t eight : {0x10001, 0x4101}) {
    MarianMaker made;
    made.intgemm<int8_t>("layer_W", eight, {2, 3}, {127, -64, 1, 2, 3, 4}, 100);
    made.intgemm<int8_t>("Wemb", eight, {2, 3}, {127, -64, 1, 2, 3, 4}, 100);
    made.intgemm<int16_t>("layer_Wf", eight == 0x4101 ? 0x4102 : 0x10002, {1, 2}, {1000, -3}, 1024);
    const std::string bytes = made.binary();
    const MarianFile file = parse(bytes);
    EXPECT_EQ(file.type("layer_W"), MarianType::intgemm8);
    const Values as_stored = {1.27, -0.64, 0.01, 0.02, 0.03, 0.04};
    EXPECT_EQ(file.read_rows("layer_W").shape(), (Shape{3, 2}));
    EXPECT_TRUE(close(values_of(file.read_rows("layer_W")), as_stored, 1e-5, 0));
    EXPECT_TRUE(close(values_of(file.read("layer_W")), Values{1.27, 0.01, 0.03, -0.64, 0.02, 0.04},
                      1e-5, 0));
    EXPECT_EQ(file.read_rows("Wemb").shape(), (Shape{2, 3}));
    EXPECT_TRUE(close(values_of(file.read("Wemb")), as_stored, 1e-5, 0));
    EXPECT_EQ(values_of(file.read("layer_Wf")), (Values{1000.0 / 1024, -3.0 / 1024}));
    // What is prepared or stored with 8 bits has the same integers again.
    const Int8Matrix again = to_int8(file.read_rows("layer_W"));
    EXPECT_EQ(again.integers, (std::vector<int8_t>{127, -64, 1, 2, 3, 4}));
  }
}

TEST(MarianFile, RefusesWhatCannotBe) {
  const auto refusal = [](const std::string& bytes) {
    return error_of([&] {
      const MarianFile file = parse(bytes);
      for (const std::string& name : file.names())
        if (file.type(name) != MarianType::int8) file.read(name);
    });
  };
  EXPECT_EQ(refusal(""), "m: the version needs 8 bytes but 0 are left");
  EXPECT_EQ(refusal(std::string("\2\0\0\0\0\0\0\0", 8)),
            "m: the model is encrypted, which heed does not read");
  EXPECT_EQ(refusal(std::string("\7\0\0\0\0\0\0\0", 8)),
            "m: version 7 of Marian's binary form but 1 was expected");
  EXPECT_EQ(refusal(std::string("\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f", 16)),
            "m: 9223372036854775807 arrays do not fit into 16 bytes");
  MarianMaker made = small();
  made.arrays()[0].type = 0x11001;
  EXPECT_TRUE(refusal(made.binary()).starts_with("m: array \"layer_W\" has type 0x11001"));
  made = small();
  made.arrays()[0].sizes = {2, -3};
  EXPECT_EQ(refusal(made.binary()), "m: array \"layer_W\" has the shape (2, -3), which cannot be");
  made = small();
  made.arrays()[0].sizes = {2000, 3000};
  EXPECT_EQ(refusal(made.binary()),
            "m: array \"layer_W\" has 256 bytes, too few for its shape (2000, 3000)");
  made = small();
  made.arrays()[1].name = "layer_W";
  EXPECT_EQ(refusal(made.binary()), "m: has the array \"layer_W\" twice");
  made = small();
  made.floats("c", {1}, {std::numeric_limits<float>::infinity()});
  for (const std::string& bytes : {made.npz(), made.binary()})
    EXPECT_EQ(refusal(bytes), "m: array \"c\" holds inf but finite numbers were expected");
  made = small();
  made.intgemm<int8_t>("d_W", 0x10001, {1, 2}, {1, 2}, 0);
  EXPECT_EQ(refusal(made.binary()),
            "m: array \"d_W\" has the multiplier 0, but it must be above 0");
  made = MarianMaker();
  made.floats("a\xff", {1}, {1});
  std::string cut = made.binary();
  cut.resize(cut.size() - 200);
  EXPECT_EQ(refusal(cut), "m: array \"a\uFFFD\" needs 256 bytes but 56 are left");
}

}  // namespace
}  // namespace heed
