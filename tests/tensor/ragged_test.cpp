#include "heed/tensor/ragged.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;

TEST(Ragged, WithoutSequencesHasNoTokens) {
  for (const Ragged& layout : {Ragged(), Ragged(std::vector<int64_t>{})}) {
    EXPECT_EQ(layout.sequences(), 0);
    EXPECT_EQ(layout.tokens(), 0);
    EXPECT_EQ(layout.longest(), 0);
    EXPECT_EQ(layout.offsets().size(), 1u);
  }
}

TEST(Ragged, LaysSequencesEndToEnd) {
  const Ragged layout({2, 0, 3});
  EXPECT_EQ(layout.sequences(), 3);
  EXPECT_EQ(layout.tokens(), 5);
  EXPECT_EQ(layout.longest(), 3);
  EXPECT_EQ(layout.begin(0), 0);
  EXPECT_EQ(layout.end(0), 2);
  EXPECT_EQ(layout.begin(1), 2);
  EXPECT_EQ(layout.length(1), 0);
  EXPECT_EQ(layout.begin(2), 2);
  EXPECT_EQ(layout.end(2), 5);
  EXPECT_EQ(layout.length(2), 3);
  EXPECT_EQ((std::vector<int64_t>(layout.offsets().begin(), layout.offsets().end())),
            (std::vector<int64_t>{0, 2, 2, 5}));
}

TEST(Ragged, IsEqualWhenAllLengthsAre) {
  EXPECT_EQ(Ragged({1, 2}), Ragged({1, 2}));
  EXPECT_FALSE(Ragged({1, 2}) == Ragged({2, 1}));
  EXPECT_FALSE(Ragged({3}) == Ragged({3, 0}));
}

TEST(Ragged, SharesItsOffsetsWithCopies) {
  const Ragged layout({4, 5});
  const Ragged copy = layout;
  EXPECT_EQ(copy.offsets().data(), layout.offsets().data());
}

TEST(Ragged, RefusesLengthsThatAreNone) {
  EXPECT_EQ(error_of([] { (void)Ragged({3, -1}); }), "ragged: sequence 1 has length -1");
  EXPECT_EQ(error_of([] {
              (void)Ragged({std::numeric_limits<int64_t>::max(), 1});
            }),
            "ragged: the lengths add up to too many tokens");
}

TEST(PackSequences, DropsThePadding) {
  const Tensor dense = Tensor::of({2, 3, 2}, {1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 9, 10});
  const Tensor tokens = pack_sequences(dense, Ragged({2, 3}));
  EXPECT_EQ(tokens.shape(), (Shape{5, 2}));
  EXPECT_EQ(values_of(tokens), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(PackSequences, TakesAPaddingWiderThanTheLongest) {
  const Tensor dense = Tensor::of({2, 3, 1}, {1, 0, 0, 2, 3, 0});
  EXPECT_EQ(values_of(pack_sequences(dense, Ragged({1, 2}))), (std::vector<double>{1, 2, 3}));
}

TEST(PackSequences, TakesSequencesOfNothing) {
  EXPECT_EQ(pack_sequences(Tensor::zeros({2, 3, 4}), Ragged({0, 0})).shape(), (Shape{0, 4}));
  EXPECT_EQ(pack_sequences(Tensor::zeros({0, 3, 4}), Ragged()).shape(), (Shape{0, 4}));
  EXPECT_EQ(pack_sequences(Tensor::zeros({1, 2, 0}), Ragged({2})).shape(), (Shape{2, 0}));
}

TEST(PackSequences, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              (void)pack_sequences(Tensor::zeros({2, 3}), Ragged({1, 2}));
            }),
            "pack_sequences: shape (2, 3) but (batch, length, width) was expected");
  EXPECT_EQ(error_of([] {
              (void)pack_sequences(Tensor::zeros({2, 3, 1}), Ragged({1, 4}));
            }),
            "pack_sequences: 2 sequences of up to 4 tokens do not fit shape (2, 3, 1)");
  EXPECT_EQ(error_of([] {
              (void)pack_sequences(Tensor::zeros({3, 3, 1}), Ragged({1, 2}));
            }),
            "pack_sequences: 2 sequences of up to 2 tokens do not fit shape (3, 3, 1)");
}

TEST(PadSequences, FillsUpWithZeros) {
  const Tensor tokens = Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor dense = pad_sequences(tokens, Ragged({1, 0, 2}));
  EXPECT_EQ(dense.shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(values_of(dense), (std::vector<double>{1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6}));
}

TEST(PadSequences, UndoesPacking) {
  for (const Type type : {Type::float32, Type::float64}) {
    const Ragged layout({3, 1, 2});
    Tensor tokens = Tensor::of({6, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).to(type);
    const Tensor back = pack_sequences(pad_sequences(tokens, layout), layout);
    EXPECT_EQ(back.type(), type);
    EXPECT_EQ(values_of(back), values_of(tokens));
  }
}

TEST(PadSequences, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              (void)pad_sequences(Tensor::zeros({4, 2}), Ragged({1, 2}));
            }),
            "pad_sequences: shape (4, 2) but (3, width) was expected");
  EXPECT_EQ(error_of([] {
              (void)pad_sequences(Tensor::zeros({3}), Ragged({1, 2}));
            }),
            "pad_sequences: shape (3) but (3, width) was expected");
}

}  // namespace
}  // namespace heed
