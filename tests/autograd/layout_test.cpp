#include "heed/autograd/layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;
using Values = std::vector<double>;

class Layout : public ::testing::Test {
 protected:
  Tape tape;
  Variable x = tape.watch(Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6}));
};

TEST_F(Layout, ReshapesWithoutACopy) {
  const Variable y = reshape(x, {3, 2});
  EXPECT_EQ(y.value().data<float>(), x.value().data<float>());
  tape.backward(y, Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(x.gradient().shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(x.gradient()), (Values{1, 2, 3, 4, 5, 6}));
}

TEST_F(Layout, RefusesAReshapeOfAnotherSize) {
  EXPECT_EQ(error_of([&] { (void)reshape(x, {4}); }),
            "reshape: (2, 3) has 6 elements but (4) has 4");
}

TEST_F(Layout, SlicesTheFirstAxisWithoutACopy) {
  const Variable y = slice(x, 1, 2);
  EXPECT_EQ(y.shape(), (Shape{1, 3}));
  EXPECT_EQ(y.value().data<float>(), x.value().data<float>() + 3);
  tape.backward(y, Tensor::of({1, 3}, {7, 8, 9}));
  EXPECT_EQ(values_of(x.gradient()), (Values{0, 0, 0, 7, 8, 9}));
}

TEST_F(Layout, AddsTheGradientsOfSlicesThatOverlap) {
  tape.backward(add(sum(slice(x, 0, 2)), add(sum(slice(x, 1, 2)), sum(slice(x, 2, 2)))));
  EXPECT_EQ(values_of(x.gradient()), (Values{1, 1, 1, 2, 2, 2}));
}

TEST_F(Layout, RefusesSlicesOutside) {
  EXPECT_EQ(error_of([&] { (void)slice(x, 1, 3); }), "slice: [1, 3) of shape (2, 3)");
}

TEST_F(Layout, SlicesColumns) {
  const Variable y = slice_columns(x, 1, 3);
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(values_of(y.value()), (Values{2, 3, 5, 6}));
  tape.backward(y, Tensor::of({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(values_of(x.gradient()), (Values{0, 1, 2, 0, 3, 4}));
}

TEST_F(Layout, AddsTheGradientsOfColumnsThatOverlap) {
  tape.backward(add(sum(slice_columns(x, 0, 2)), sum(slice_columns(x, 1, 3))));
  EXPECT_EQ(values_of(x.gradient()), (Values{1, 2, 1, 1, 2, 1}));
}

TEST_F(Layout, SlicesColumnsOfAnyRank) {
  const Variable cube = reshape(x, {2, 1, 3});
  EXPECT_EQ(slice_columns(cube, 0, 1).shape(), (Shape{2, 1, 1}));
  EXPECT_EQ(values_of(slice_columns(reshape(x, {6}), 4, 6).value()), (Values{5, 6}));
  EXPECT_EQ(slice_columns(x, 2, 2).shape(), (Shape{2, 0}));
}

TEST_F(Layout, RefusesColumnsOutside) {
  EXPECT_EQ(error_of([&] { (void)slice_columns(x, 1, 4); }),
            "slice_columns: [1, 4) of shape (2, 3)");
  EXPECT_EQ(error_of([&] { (void)slice_columns(x, -1, 1); }),
            "slice_columns: [-1, 1) of shape (2, 3)");
  EXPECT_EQ(error_of([&] { (void)slice_columns(x, 2, 1); }),
            "slice_columns: [2, 1) of shape (2, 3)");
  EXPECT_EQ(error_of([&] { (void)slice_columns(sum(x), 0, 1); }),
            "slice_columns: [0, 1) of shape ()");
}

TEST_F(Layout, ConcatenatesColumns) {
  const Variable z = tape.watch(Tensor::of({2, 1}, {10, 20}));
  const std::vector<Variable> parts{x, z, x};
  const Variable y = concatenate_columns(parts);
  EXPECT_EQ(y.shape(), (Shape{2, 7}));
  EXPECT_EQ(values_of(y.value()), (Values{1, 2, 3, 10, 1, 2, 3, 4, 5, 6, 20, 4, 5, 6}));
  tape.backward(y, Tensor::of({2, 7}, {1, 2, 3, 4, 5, 6, 7, 10, 20, 30, 40, 50, 60, 70}));
  EXPECT_EQ(values_of(x.gradient()), (Values{6, 8, 10, 60, 80, 100}));
  EXPECT_EQ(values_of(z.gradient()), (Values{4, 40}));
}

TEST_F(Layout, ConcatenatesConstantsWithoutGradients) {
  const std::vector<Variable> parts{tape.constant(Tensor::zeros({2, 0})), x,
                                    tape.constant(Tensor::full({2, 1}, 9))};
  const Variable y = concatenate_columns(parts);
  EXPECT_EQ(values_of(y.value()), (Values{1, 2, 3, 9, 4, 5, 6, 9}));
  tape.backward(sum(y));
  EXPECT_EQ(values_of(x.gradient()), (Values{1, 1, 1, 1, 1, 1}));
}

TEST_F(Layout, RefusesPartsThatDoNotFit) {
  EXPECT_EQ(error_of([] { (void)concatenate_columns({}); }),
            "concatenate_columns: nothing to concatenate");
  const std::vector<Variable> uneven{x, tape.watch(Tensor::zeros({3, 3}))};
  EXPECT_EQ(error_of([&] { (void)concatenate_columns(uneven); }),
            "concatenate_columns: shapes (2, 3) and (3, 3)");
  const std::vector<Variable> mixed{x, tape.watch(Tensor::zeros({2, 3}, Type::float64))};
  EXPECT_EQ(error_of([&] { (void)concatenate_columns(mixed); }),
            "concatenate_columns: types float32 and float64");
  const std::vector<Variable> numbers{sum(x)};
  EXPECT_EQ(error_of([&] { (void)concatenate_columns(numbers); }),
            "concatenate_columns: shapes () and ()");
}

}  // namespace
}  // namespace heed
