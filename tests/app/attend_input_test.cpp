#include "heed/app/cli/attend_input.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

// Two sequences: three queries of width 4, five keys of width 4, values of width 6.
TensorFileWriter dense() {
  TensorFileWriter writer;
  writer.add("queries", Tensor::full({2, 3, 4}, 0.5));
  writer.add("keys", Tensor::full({2, 5, 4}, 0.25));
  writer.add("values", Tensor::full({2, 5, 6}, 2));
  return writer;
}

class AttendInputs : public ::testing::Test {
 protected:
  AttendInputs() {
    std::string name = (std::filesystem::temp_directory_path() / "heed_attend_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AttendInputs() override { std::filesystem::remove_all(folder_); }

  AttendInput read(const TensorFileWriter& writer, const AttendOptions& options = {}) const {
    const std::filesystem::path path = folder_ / "in";
    writer.save(path);
    return read_attend_input(TensorFile::open(path), options);
  }

  // The sentence, without the folder that the file's name begins with.
  std::string sentence(const TensorFileWriter& writer, const AttendOptions& options = {}) const {
    const std::string text = error_of([&] { read(writer, options); });
    const std::string prefix = (folder_ / "").string();
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }

  std::filesystem::path folder_;
};

TEST_F(AttendInputs, ReadsWhatIsThere) {
  TensorFileWriter writer = dense();
  writer.add_integers("valid_lengths", {2}, {5, 0});
  writer.add_booleans("mask", {3, 5}, std::vector<uint8_t>(15, 1));
  writer.add("output.gradient", Tensor::full({2, 3, 6}, 1));
  writer.add("something else", Tensor::full({1}, 1));
  const AttendInput input = read(writer);
  EXPECT_EQ(input.queries.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(input.queries[0], 0.5);
  EXPECT_EQ(input.keys[0], 0.25);
  EXPECT_EQ(input.values[0], 2);
  EXPECT_EQ(input.valid_lengths, (std::vector<int64_t>{5, 0}));
  ASSERT_NE(input.allowed, nullptr);
  EXPECT_EQ(input.allowed->shape, (Shape{3, 5}));
  EXPECT_TRUE(input.output_gradient.present());
  EXPECT_EQ(input.unused, std::vector<std::string>{"something else"});
}

TEST_F(AttendInputs, WhatIsOptionalMayBeMissing) {
  const AttendInput input = read(dense());
  EXPECT_TRUE(input.valid_lengths.empty());
  EXPECT_EQ(input.allowed, nullptr);
  EXPECT_FALSE(input.output_gradient.present());
  EXPECT_TRUE(input.parameters.empty());
}

TEST_F(AttendInputs, EveryRankIsRead) {
  for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}}) {
    const auto shape = [&](int64_t length, int64_t width) {
      std::vector<int64_t> sizes(leading.sizes().begin(), leading.sizes().end());
      sizes.insert(sizes.end(), {length, width});
      return Shape(std::span<const int64_t>(sizes));
    };
    TensorFileWriter writer;
    writer.add("queries", Tensor::zeros(shape(3, 4)));
    writer.add("keys", Tensor::zeros(shape(5, 4)));
    writer.add("values", Tensor::zeros(shape(5, 6)));
    writer.add("output.gradient", Tensor::zeros(shape(3, 6)));
    EXPECT_EQ(read(writer).queries.shape(), shape(3, 4));
  }
}

TEST_F(AttendInputs, TheTypeOfTheQueriesDecides) {
  TensorFileWriter wide;
  wide.add("queries", Tensor::full({3, 4}, 0.1, Type::float64));
  wide.add("keys", Tensor::full({5, 4}, 0.5));
  wide.add("values", Tensor::full({5, 6}, 0.1, Type::float64));
  EXPECT_EQ(read(wide).queries.type(), Type::float64);
  EXPECT_EQ(read(wide).keys.type(), Type::float64);
  TensorFileWriter mixed;
  mixed.add("queries", Tensor::full({3, 4}, 0.5));
  mixed.add("keys", Tensor::full({5, 4}, 0.5, Type::float64));
  mixed.add("values", Tensor::full({5, 6}, 0.5));
  EXPECT_EQ(sentence(mixed), "in: array \"keys\" has type F64 but F32 was expected");
}

TEST_F(AttendInputs, NamesTheMissingArray) {
  TensorFileWriter writer;
  EXPECT_EQ(sentence(writer), "in: array \"queries\" is missing; the file holds nothing");
  writer.add("queries", Tensor::zeros({3, 4}));
  EXPECT_EQ(sentence(writer), "in: array \"keys\" is missing; the file holds \"queries\"");
  EXPECT_EQ(
      sentence(dense(), {.score = ScoreKind::gaussian}),
      "in: array \"score.bandwidth\" is missing; the file holds \"keys\", \"queries\", \"values\"");
}

TEST_F(AttendInputs, ShapesMustFit) {
  const auto with = [](const Shape& queries, const Shape& keys, const Shape& values) {
    TensorFileWriter writer;
    writer.add("queries", Tensor::zeros(queries));
    writer.add("keys", Tensor::zeros(keys));
    writer.add("values", Tensor::zeros(values));
    return writer;
  };
  EXPECT_EQ(sentence(with({4}, {5, 4}, {5, 4})),
            "in: array \"queries\" has shape (4) but (queries, width) or (batch, queries, width) "
            "or (batch, heads, "
            "queries, width) was expected");
  EXPECT_EQ(sentence(with({2, 3, 4}, {5, 4}, {5, 4})),
            "in: array \"keys\" has shape (5, 4) but (2, keys, 4) was expected");
  EXPECT_EQ(sentence(with({2, 3, 4}, {1, 5, 4}, {1, 5, 4})),
            "in: array \"keys\" has shape (1, 5, 4) but (2, keys, 4) was expected");
  EXPECT_EQ(sentence(with({2, 3, 4}, {2, 5, 3}, {2, 5, 4})),
            "in: array \"keys\" has shape (2, 5, 3) but (2, keys, 4) was expected");
  EXPECT_EQ(sentence(with({2, 3, 4}, {2, 5, 4}, {2, 6, 4})),
            "in: array \"values\" has shape (2, 6, 4) but (2, 5, width) was expected");
  EXPECT_EQ(sentence(with({2, 4, 3, 4}, {2, 3, 5, 4}, {2, 3, 5, 4})),
            "in: array \"keys\" has 3 heads but a number that divides the 4 heads of \"queries\" "
            "was expected");
  EXPECT_EQ(sentence(with({2, 4, 3, 4}, {2, 2, 5, 4}, {2, 4, 5, 4})),
            "in: array \"values\" has shape (2, 4, 5, 4) but (2, 2, 5, width) was expected");
  EXPECT_EQ(
      sentence(with({0, 4}, {5, 4}, {5, 4})),
      "in: array \"queries\" has shape (0, 4) but (queries, width) or (batch, queries, width) or "
      "(batch, heads, "
      "queries, width) was expected");
  EXPECT_EQ(sentence(with({3, 4}, {5, 4}, {5, 0})),
            "in: array \"values\" has shape (5, 0) but (5, width) was expected");
}

TEST_F(AttendInputs, HeadsMustDivideTheWidth) {
  EXPECT_EQ(sentence(dense(), {.heads = 3}),
            "in: array \"queries\" has width 4, which 3 heads do not divide");
  EXPECT_EQ(sentence(dense(), {.heads = 4}),
            "in: array \"values\" has width 6, which 4 heads do not divide");
  EXPECT_EQ(read(dense(), {.heads = 2}).queries.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(sentence(dense(), {.heads = 0}), "0 heads but at least 1 was expected");
  TensorFileWriter writer;
  for (const char* name : {"queries", "keys", "values"})
    writer.add(name, Tensor::zeros({1, 2, 3, 4}));
  EXPECT_EQ(sentence(writer, {.heads = 4}),
            "in: array \"queries\" has shape (1, 2, 3, 4) with 2 heads but 4 were asked for");
  EXPECT_EQ(read(writer, {.heads = 2}).queries.shape(), (Shape{1, 2, 3, 4}));
}

TEST_F(AttendInputs, ScoresHaveTheirParameters) {
  TensorFileWriter writer;
  writer.add("queries", Tensor::zeros({2, 3, 4}));
  writer.add("keys", Tensor::zeros({2, 5, 8}));
  writer.add("values", Tensor::zeros({2, 5, 6}));
  writer.add("score.weight", Tensor::zeros({4, 8}));
  writer.add("score.query.weight", Tensor::zeros({7, 4}));
  writer.add("score.key.weight", Tensor::zeros({7, 8}));
  writer.add("score.value.weight", Tensor::zeros({7}));
  EXPECT_EQ(read(writer, {.score = ScoreKind::bilinear}).parameters.at(0).first, "score.weight");
  const AttendInput additive = read(writer, {.score = ScoreKind::additive});
  ASSERT_EQ(additive.parameters.size(), 3u);
  EXPECT_EQ(additive.parameters[0].second.shape(), (Shape{7, 4}));
  EXPECT_EQ(additive.parameters[1].second.shape(), (Shape{7, 8}));
  EXPECT_EQ(additive.parameters[2].second.shape(), (Shape{7}));
  EXPECT_EQ(additive.unused, std::vector<std::string>{"score.weight"});
  // Each head has its own part of the width, and the parameters are for one part.
  EXPECT_EQ(sentence(writer, {.score = ScoreKind::bilinear, .heads = 2}),
            "in: array \"score.weight\" has shape (4, 8) but (2, 4) was expected");
  EXPECT_EQ(sentence(writer, {.score = ScoreKind::additive, .heads = 2}),
            "in: array \"score.query.weight\" has shape (7, 4) but (hidden, 2) was expected");
}

TEST_F(AttendInputs, ScoresCheckTheirParameters) {
  const auto additive = [](const Shape& query, const Shape& key, const Shape& value) {
    TensorFileWriter writer = dense();
    writer.add("score.query.weight", Tensor::zeros(query));
    writer.add("score.key.weight", Tensor::zeros(key));
    writer.add("score.value.weight", Tensor::zeros(value));
    return writer;
  };
  const AttendOptions options{.score = ScoreKind::additive};
  EXPECT_EQ(sentence(additive({7, 5}, {7, 4}, {7}), options),
            "in: array \"score.query.weight\" has shape (7, 5) but (hidden, 4) was expected");
  EXPECT_EQ(sentence(additive({7, 4}, {8, 4}, {7}), options),
            "in: array \"score.key.weight\" has shape (8, 4) but (7, 4) was expected");
  EXPECT_EQ(sentence(additive({7, 4}, {7, 4}, {1, 7}), options),
            "in: array \"score.value.weight\" has shape (1, 7) but (7) was expected");
  const auto gaussian = [&](const Tensor& bandwidth) {
    TensorFileWriter writer = dense();
    writer.add("score.bandwidth", bandwidth);
    return sentence(writer, {.score = ScoreKind::gaussian});
  };
  EXPECT_EQ(gaussian(Tensor::full({}, 0.5)), "(nothing was thrown)");
  EXPECT_EQ(gaussian(Tensor::full({1}, -0.5)), "(nothing was thrown)");
  EXPECT_EQ(gaussian(Tensor::full({2}, 0.5)),
            "in: array \"score.bandwidth\" has shape (2) but () or (1) was expected");
  EXPECT_EQ(
      gaussian(Tensor::full({}, 0)),
      "in: array \"score.bandwidth\" holds 0 but a number of magnitude 1e-12 to 1e12 was expected");
}

TEST_F(AttendInputs, ValidLengthsAreChecked) {
  const auto lengths = [&](const Shape& shape, std::vector<int64_t> values) {
    TensorFileWriter writer = dense();
    writer.add_integers("valid_lengths", shape, std::move(values));
    return sentence(writer);
  };
  EXPECT_EQ(lengths({2}, {0, 5}), "(nothing was thrown)");
  EXPECT_EQ(lengths({2, 3}, {0, 1, 2, 3, 4, 5}), "(nothing was thrown)");
  EXPECT_EQ(
      lengths({2}, {0, 6}),
      "in: array \"valid_lengths\" holds 6 at (1) but 0 to 5, the number of keys, was expected");
  EXPECT_EQ(lengths({2, 3}, {0, 1, 2, 3, -4, 5}),
            "in: array \"valid_lengths\" holds -4 at (1, 1) but 0 to 5, the number of keys, was "
            "expected");
  EXPECT_EQ(lengths({3}, {0, 0, 0}),
            "in: array \"valid_lengths\" has shape (3) but (2) or (2, 3) was expected");
  EXPECT_EQ(lengths({2, 1}, {0, 0}),
            "in: array \"valid_lengths\" has shape (2, 1) but (2) or (2, 3) was expected");
  TensorFileWriter floats = dense();
  floats.add("valid_lengths", Tensor::zeros({2}));
  EXPECT_EQ(sentence(floats), "in: array \"valid_lengths\" has type F32 but I64 was expected");
}

TEST_F(AttendInputs, ASingleSequenceNeedsNoBatchAxis) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{3}, Shape{1, 3}}) {
    TensorFileWriter writer;
    writer.add("queries", Tensor::zeros({3, 4}));
    writer.add("keys", Tensor::zeros({5, 4}));
    writer.add("values", Tensor::zeros({5, 6}));
    writer.add_integers("valid_lengths", shape,
                        std::vector<int64_t>(static_cast<size_t>(shape.elements()), 2));
    EXPECT_EQ(read(writer).valid_lengths.size(), static_cast<size_t>(shape.elements()));
  }
}

TEST_F(AttendInputs, MasksAreChecked) {
  const auto masked = [&](const Shape& shape, const AttendOptions& options) {
    TensorFileWriter writer = dense();
    writer.add_booleans("mask", shape,
                        std::vector<uint8_t>(static_cast<size_t>(shape.elements()), 1));
    return sentence(writer, options);
  };
  EXPECT_EQ(masked({3, 5}, {}), "(nothing was thrown)");
  EXPECT_EQ(masked({2, 3, 5}, {}), "(nothing was thrown)");
  EXPECT_EQ(masked({2, 2, 3, 5}, {.heads = 2}), "(nothing was thrown)");
  EXPECT_EQ(masked({5, 3}, {}),
            "in: array \"mask\" has shape (5, 3) but (3, 5) or (2, 3, 5) was expected");
  EXPECT_EQ(masked({2, 1, 3, 5}, {.heads = 2}),
            "in: array \"mask\" has shape (2, 1, 3, 5) but (3, 5) or (2, 3, 5) or (2, 2, 3, 5) was "
            "expected");
  TensorFileWriter bytes = dense();
  bytes.add_integers("mask", {3, 5}, std::vector<int64_t>(15, 1));
  EXPECT_EQ(sentence(bytes), "in: array \"mask\" has type I64 but BOOL was expected");
  TensorFileWriter twos = dense();
  std::vector<uint8_t> values(15, 1);
  values[7] = 2;
  twos.add_booleans("mask", {3, 5}, values);
  EXPECT_EQ(sentence(twos), "in: array \"mask\" holds 2 at (1, 2) but 0 or 1 was expected");
}

TEST_F(AttendInputs, HeadsOfASingleSequenceMayHaveTheirOwnMasks) {
  TensorFileWriter writer;
  writer.add("queries", Tensor::zeros({3, 4}));
  writer.add("keys", Tensor::zeros({5, 4}));
  writer.add("values", Tensor::zeros({5, 6}));
  writer.add_booleans("mask", {2, 3, 5}, std::vector<uint8_t>(30, 1));
  EXPECT_EQ(read(writer, {.heads = 2}).allowed->shape, (Shape{1, 2, 3, 5}));
  EXPECT_EQ(sentence(writer), "in: array \"mask\" has shape (2, 3, 5) but (3, 5) was expected");
}

TEST_F(AttendInputs, TheOutputGradientHasTheShapeOfTheOutput) {
  TensorFileWriter writer = dense();
  writer.add("output.gradient", Tensor::zeros({2, 3, 4}));
  EXPECT_EQ(sentence(writer),
            "in: array \"output.gradient\" has shape (2, 3, 4) but (2, 3, 6) was expected");
}

TEST_F(AttendInputs, NumbersMustBeFinite) {
  TensorFileWriter writer;
  writer.add("queries", Tensor::of({2, 2}, {1, 2, NAN, 4}));
  writer.add("keys", Tensor::zeros({5, 2}));
  writer.add("values", Tensor::zeros({5, 2}));
  EXPECT_EQ(sentence(writer),
            "in: array \"queries\" holds nan at (1, 0) but finite numbers were expected");
}

TEST_F(AttendInputs, HugeResultsAreRefusedBeforeTheyAreAllocated) {
  TensorFileWriter writer;
  writer.add("queries", Tensor::zeros({100'000, 1}));
  writer.add("keys", Tensor::zeros({100'000, 1}));
  writer.add("values", Tensor::zeros({100'000, 1}));
  EXPECT_EQ(sentence(writer, {.memory_limit = 8e9}),
            "in: the result for \"queries\" (100000, 1) and \"keys\" (100000, 1) needs 40 GB but "
            "this machine has 8 GB; --no-weights needs less");
  EXPECT_EQ(sentence(writer, {.want_weights = false, .memory_limit = 8e9}), "(nothing was thrown)");
  TensorFileWriter wide;
  wide.add("queries", Tensor::zeros({100'000, 1}));
  wide.add("keys", Tensor::zeros({1, 1}));
  wide.add("values", Tensor::zeros({1, 100'000}));
  EXPECT_EQ(sentence(wide, {.memory_limit = 8e9}),
            "in: the result for \"queries\" (100000, 1) and \"keys\" (1, 1) needs 40 GB but this "
            "machine has 8 GB");
  TensorFileWriter deep;
  deep.add("queries", Tensor::zeros({100'000, 1}));
  deep.add("keys", Tensor::zeros({1, 1}));
  deep.add("values", Tensor::zeros({1, 1}));
  deep.add("score.query.weight", Tensor::zeros({100'000, 1}));
  deep.add("score.key.weight", Tensor::zeros({100'000, 1}));
  deep.add("score.value.weight", Tensor::zeros({100'000}));
  EXPECT_EQ(sentence(deep, {.score = ScoreKind::additive, .memory_limit = 8e9}),
            "in: the result for \"queries\" (100000, 1) and \"keys\" (1, 1) needs 40 GB but this "
            "machine has 8 GB");
}

}  // namespace
}  // namespace heed
