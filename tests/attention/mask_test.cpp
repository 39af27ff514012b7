#include "heed/attention/mask.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "attention_checks.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

constexpr int64_t largest = std::numeric_limits<int64_t>::max();

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

// The ranges of a batch whose queries and keys have these lengths; a range without keys is (0, 0).
Ranges ranges_of(const Mask& mask, const std::vector<int64_t>& queries,
                 const std::vector<int64_t>& keys) {
  Ranges ranges;
  for (const kernels::KeyRange& range : key_ranges(mask, Ragged(queries), Ragged(keys)))
    ranges.emplace_back(range.begin, range.end);
  return ranges;
}

TEST(KeyRanges, AreNoneWhenEveryQuerySeesEveryKey) {
  EXPECT_EQ(ranges_of({}, {3, 2}, {4, 5}), Ranges());
}

TEST(KeyRanges, OfACausalMaskEndAfterTheQuery) {
  EXPECT_EQ(ranges_of({.causal = true}, {3, 2}, {3, 2}),
            (Ranges{{0, 1}, {0, 2}, {0, 3}, {0, 1}, {0, 2}}));
  EXPECT_EQ(ranges_of({.causal = true}, {4}, {2}), (Ranges{{0, 1}, {0, 2}, {0, 2}, {0, 2}}));
}

TEST(KeyRanges, OfACausalMaskCountFromTheFirstQuery) {
  EXPECT_EQ(ranges_of({.causal = true, .first_query = 3}, {2}, {5}), (Ranges{{0, 4}, {0, 5}}));
}

TEST(KeyRanges, OfAWindowReachToBothSides) {
  EXPECT_EQ(ranges_of({.window = 1}, {4}, {4}), (Ranges{{0, 2}, {0, 3}, {1, 4}, {2, 4}}));
  EXPECT_EQ(ranges_of({.window = 0}, {3}, {3}), (Ranges{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(ranges_of({.window = 1, .first_query = 2}, {2}, {9}), (Ranges{{1, 4}, {2, 5}}));
}

TEST(KeyRanges, OfAWindowBeyondTheKeysAreEmpty) {
  EXPECT_EQ(ranges_of({.window = 1}, {5}, {2}), (Ranges{{0, 2}, {0, 2}, {1, 2}, {0, 0}, {0, 0}}));
}

TEST(KeyRanges, OfAHugeWindowHoldEveryKey) {
  for (const int64_t window : {largest, largest - 1, int64_t{1} << 33})
    EXPECT_EQ(ranges_of({.window = window}, {2}, {3}), (Ranges{{0, 3}, {0, 3}})) << window;
  EXPECT_EQ(ranges_of({.window = largest, .first_query = largest / 2}, {1}, {3}), (Ranges{{0, 3}}));
  EXPECT_EQ(ranges_of({.causal = true, .window = 3, .first_query = largest / 2}, {1}, {3}),
            (Ranges{{0, 0}}));
}

TEST(KeyRanges, OfValidLengthsAreTheSameForAllQueriesOfASequence) {
  EXPECT_EQ(ranges_of({.valid_lengths = {2, 0}}, {2, 1}, {4, 4}), (Ranges{{0, 2}, {0, 2}, {0, 0}}));
}

TEST(KeyRanges, OfValidLengthsMayDifferByQuery) {
  // The second sequence has one query only, so the last length stands for none.
  EXPECT_EQ(ranges_of({.valid_lengths = {2, 4, 3, 0}}, {2, 1}, {4, 4}),
            (Ranges{{0, 2}, {0, 4}, {0, 3}}));
}

TEST(KeyRanges, HoldWhatAllConditionsAllow) {
  const Mask mask{.causal = true, .window = 2, .valid_lengths = {3}};
  EXPECT_EQ(ranges_of(mask, {6}, {6}), (Ranges{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 0}}));
}

TEST(KeyRanges, OfNoSequencesAndOfEmptyOnes) {
  EXPECT_EQ(ranges_of({.causal = true}, {}, {}), Ranges());
  EXPECT_EQ(ranges_of({.causal = true}, {0, 1, 0}, {2, 0, 0}), (Ranges{{0, 0}}));
}

TEST(MaskView, FindsTheMatrixOfASequenceAndHead) {
  std::vector<float> data(2 * 3 * 4 * 5);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const auto element = [&](const Shape& shape, int64_t sequence, int64_t head, int64_t query,
                           int64_t key) {
    return mask_view(std::as_const(data).data(), shape, sequence, head)(query, key);
  };
  EXPECT_EQ(element({2, 3, 4, 5}, 1, 2, 3, 4), 119);
  EXPECT_EQ(element({2, 3, 4, 5}, 1, 0, 2, 1), 60 + 11);
  EXPECT_EQ(element({2, 4, 5}, 1, 2, 2, 1), 20 + 11);
  EXPECT_EQ(element({4, 5}, 1, 2, 2, 1), 11);
}

TEST(MaskView, RepeatsAxesOfSizeOne) {
  std::vector<float> data(24);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const auto element = [&](const Shape& shape, int64_t sequence, int64_t head, int64_t query,
                           int64_t key) {
    return mask_view(std::as_const(data).data(), shape, sequence, head)(query, key);
  };
  EXPECT_EQ(element({2, 1, 1, 5}, 1, 2, 3, 4), 9);
  EXPECT_EQ(element({1, 3, 4, 1}, 1, 2, 3, 4), 11);
  EXPECT_EQ(element({1, 1, 1, 1}, 1, 2, 3, 4), 0);
  EXPECT_EQ(element({1, 5}, 1, 2, 3, 4), 4);
  EXPECT_EQ(element({4, 1}, 1, 2, 3, 4), 3);
  EXPECT_EQ(element({2, 1, 5}, 1, 2, 3, 4), 9);
}

// Two sequences of 3 and 2 queries and 4 and 5 keys, with two heads.
class CheckMask : public ::testing::Test {
 protected:
  std::string refusal(const Mask& mask) {
    return error_of([&] { check_mask(mask, 2, Ragged({3, 2}), Ragged({4, 5})); });
  }
  bool accepts(const Mask& mask) { return refusal(mask) == "(nothing was thrown)"; }

  static Mask boolean(const Shape& shape, size_t elements) {
    return {.allowed = std::make_shared<BooleanMask>(
                BooleanMask{shape, std::vector<uint8_t>(elements, 1)})};
  }
  static Mask boolean(const Shape& shape) {
    return boolean(shape, static_cast<size_t>(shape.elements()));
  }
  Mask bias(const Shape& shape) { return {.bias = tape_.watch(Tensor::zeros(shape))}; }

  Tape tape_;
};

TEST_F(CheckMask, AcceptsWhatFits) {
  EXPECT_TRUE(accepts({}));
  EXPECT_TRUE(accepts({.causal = true, .window = 0, .valid_lengths = {4, 5}}));
  EXPECT_TRUE(accepts({.valid_lengths = {4, 4, 0, 5, 5, 0}}));
  for (const Shape& shape :
       {Shape{3, 5}, Shape{1, 5}, Shape{3, 1}, Shape{1, 1}, Shape{2, 3, 5}, Shape{1, 3, 5},
        Shape{2, 1, 1}, Shape{2, 2, 3, 5}, Shape{1, 2, 3, 5}, Shape{2, 1, 1, 5}}) {
    EXPECT_TRUE(accepts(boolean(shape))) << shape.text();
    EXPECT_TRUE(accepts(bias(shape))) << shape.text();
  }
  EXPECT_TRUE(accepts({.distance_bias = {tape_.watch(Tensor::zeros({2, 7})), 3}}));
}

TEST_F(CheckMask, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(refusal(boolean({3, 4})),
            "attend: the mask has shape (3, 4) but (3, 5) with leading sizes of (2, 2) or 1 was "
            "expected");
  EXPECT_EQ(refusal(bias({2, 3, 3, 5})),
            "attend: the bias has shape (2, 3, 3, 5) but (3, 5) with leading sizes of (2, 2) or 1 "
            "was expected");
  for (const Shape& shape :
       {Shape{}, Shape{5}, Shape{2, 5}, Shape{3, 3, 5}, Shape{3, 2, 3, 5}, Shape{1, 2, 2, 3, 5}}) {
    EXPECT_FALSE(accepts(boolean(shape))) << shape.text();
    EXPECT_FALSE(accepts(bias(shape))) << shape.text();
  }
}

TEST_F(CheckMask, RefusesAMaskThatHasNotAllItsElements) {
  EXPECT_EQ(refusal(boolean({3, 5}, 14)), "attend: the mask has 14 elements but shape (3, 5)");
}

TEST_F(CheckMask, RefusesValidLengthsThatDoNotFit) {
  EXPECT_EQ(refusal({.valid_lengths = {1}}),
            "attend: 1 valid lengths but 2 (one per sequence) or 6 (one per query) were expected");
  EXPECT_EQ(refusal({.valid_lengths = {5, 5}}),
            "attend: valid length 5 of sequence 0 is not between 0 and its 4 keys");
  EXPECT_EQ(refusal({.valid_lengths = {4, -1}}),
            "attend: valid length -1 of sequence 1 is not between 0 and its 5 keys");
  EXPECT_EQ(refusal({.valid_lengths = {1, 2, 3, 4, 6, 0}}),
            "attend: valid length 6 of sequence 1 is not between 0 and its 5 keys");
}

TEST_F(CheckMask, RefusesPositionsThatCannotBe) {
  EXPECT_EQ(refusal({.window = -1}), "attend: a window of -1 but 0 or more was expected");
  EXPECT_EQ(refusal({.first_query = -1}),
            "attend: the first query is at position -1 but 0 to 4611686018427387903 was expected");
  EXPECT_FALSE(accepts({.first_query = largest}));
}

TEST_F(CheckMask, RefusesDistanceBiasesThatDoNotFit) {
  const auto table = [&](const Shape& shape, int64_t origin) {
    return Mask{.distance_bias = {tape_.watch(Tensor::zeros(shape)), origin}};
  };
  EXPECT_EQ(refusal(table({1, 7}, 3)),
            "attend: the distance bias has shape (1, 7) but (2, distances) was expected");
  EXPECT_FALSE(accepts(table({2, 0}, 0)));
  EXPECT_FALSE(accepts(table({14}, 0)));
  EXPECT_EQ(refusal(table({2, 7}, 7)),
            "attend: the distance bias has its origin at 7 but it has 7 distances");
  EXPECT_FALSE(accepts(table({2, 7}, -1)));
}

}  // namespace
}  // namespace heed
