#include "heed/autograd/neighbours.h"

#include <gtest/gtest.h>

#include <vector>

#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;
using Values = std::vector<double>;

// Three sequences, of two tokens, of none and of one.
class Neighbours : public ::testing::Test {
 protected:
  Tape tape;
  Ragged layout{std::vector<int64_t>{2, 0, 1}};
  Variable x = tape.watch(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
};

TEST_F(Neighbours, StandAroundEachTokenOfASequence) {
  const Variable y = neighbours(x, layout, 1);
  EXPECT_EQ(y.shape(), (Shape{3, 6}));
  EXPECT_EQ(values_of(y.value()), (Values{0, 0, 1, 2, 3, 4,  //
                                          1, 2, 3, 4, 0, 0,  //
                                          0, 0, 5, 6, 0, 0}));
}

TEST_F(Neighbours, MayBeFurtherThanASequenceIsLong) {
  const Variable y = neighbours(x, layout, 2);
  EXPECT_EQ(values_of(y.value()), (Values{0, 0, 0, 0, 1, 2, 3, 4, 0, 0,  //
                                          0, 0, 1, 2, 3, 4, 0, 0, 0, 0,  //
                                          0, 0, 0, 0, 5, 6, 0, 0, 0, 0}));
}

TEST_F(Neighbours, WithinNoDistanceAreTheTokens) {
  EXPECT_EQ(values_of(neighbours(x, layout, 0).value()), values_of(x.value()));
}

TEST_F(Neighbours, GiveATokenTheGradientsOfAllItsPlaces) {
  tape.backward(neighbours(x, layout, 1), Tensor::of({3, 6}, {1, 2, 3, 4, 5, 6,     //
                                                              7, 8, 9, 10, 11, 12,  //
                                                              1, 10, 20, 30, 40, 50}));
  EXPECT_EQ(values_of(x.gradient()), (Values{10, 12, 14, 16, 20, 30}));
}

TEST_F(Neighbours, RefuseOtherShapes) {
  EXPECT_EQ(error_of([&] { (void)neighbours(x, Ragged(std::vector<int64_t>{2}), 1); }),
            "neighbours: shape (3, 2) but (2, width) was expected");
  EXPECT_EQ(error_of([&] { (void)neighbours(x, layout, -1); }),
            "neighbours: a radius of -1 but at least 0 was expected");
}

}  // namespace
}  // namespace heed
