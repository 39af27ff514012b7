#include "heed/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;

Tensor counting(Shape shape) {
  Tensor tensor = Tensor::uninitialised(shape);
  float next = 0;
  for (float& element : tensor.span<float>()) element = next++;
  return tensor;
}

TEST(Type, HasANameAndASize) {
  EXPECT_EQ(name_of(Type::float32), "float32");
  EXPECT_EQ(name_of(Type::float64), "float64");
  EXPECT_EQ(size_of(Type::float32), 4u);
  EXPECT_EQ(size_of(Type::float64), 8u);
  EXPECT_EQ(type_of<float>(), Type::float32);
  EXPECT_EQ(type_of<double>(), Type::float64);
}

TEST(Type, PicksTheNumberThatALambdaIsCalledWith) {
  EXPECT_EQ(with_type(Type::float32, [](auto zero) { return sizeof(zero); }), 4u);
  EXPECT_EQ(with_type(Type::float64, [](auto zero) { return sizeof(zero); }), 8u);
}

TEST(Tensor, IsAbsentUntilItHoldsSomething) {
  const Tensor absent;
  EXPECT_FALSE(absent.present());
  EXPECT_EQ(absent.elements(), 0);
  EXPECT_EQ(absent.bytes(), 0u);
  EXPECT_TRUE(absent.span<float>().empty());
  EXPECT_FALSE(absent.matrix<float>().present());
  EXPECT_FALSE(absent.clone().present());
  EXPECT_FALSE(absent.to(Type::float64).present());
  EXPECT_TRUE(Tensor::zeros({}).present());
  EXPECT_TRUE(Tensor::zeros({0}).present());
}

TEST(Tensor, IsMadeOfZerosOfOneNumberOrOfGivenNumbers) {
  EXPECT_EQ(values_of(Tensor::zeros({2, 2})), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(values_of(Tensor::zeros({2}, Type::float64)), (std::vector<double>{0, 0}));
  EXPECT_EQ(values_of(Tensor::full({3}, 1.5)), (std::vector<double>{1.5, 1.5, 1.5}));
  EXPECT_EQ(values_of(Tensor::full({}, 0.1, Type::float64)), (std::vector<double>{0.1}));
  EXPECT_EQ(values_of(Tensor::of({2, 1}, {3, 4})), (std::vector<double>{3, 4}));
  const std::vector<double> numbers{0.1, 0.2};
  const Tensor copy = Tensor::copy_of<double>({2}, numbers);
  EXPECT_EQ(copy.type(), Type::float64);
  EXPECT_EQ(values_of(copy), numbers);
}

TEST(Tensor, RefusesNumbersThatDoNotFillIt) {
  EXPECT_EQ(error_of([] {
              (void)Tensor::of({2, 2}, {1, 2, 3});
            }),
            "tensor: 3 values for shape (2, 2)");
  const std::vector<double> numbers(5);
  EXPECT_EQ(error_of([&] { (void)Tensor::copy_of<double>({4}, numbers); }),
            "tensor: 5 values for shape (4)");
}

TEST(Tensor, RefusesShapesBeyondTheAddressSpace) {
  const Shape shape{int64_t{1} << 61};
  EXPECT_EQ(error_of([&] { (void)Tensor::zeros(shape); }),
            "tensor: shape (2305843009213693952) of float32 does not fit the address space");
  EXPECT_EQ(error_of([&] { (void)Tensor::zeros(shape, Type::float64); }),
            "tensor: shape (2305843009213693952) of float64 does not fit the address space");
  const auto arena = std::make_shared<Arena>();
  EXPECT_EQ(error_of([&] { (void)Tensor::uninitialised(shape, Type::float32, arena); }),
            "tensor: shape (2305843009213693952) of float32 does not fit the address space");
}

TEST(Tensor, StartsOnACacheLine) {
  for (const int64_t size : {0, 1, 3, 1000})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Tensor::zeros({size}).data<float>()) % 64, 0u);
}

TEST(Tensor, CountsElementsAndBytes) {
  const Tensor tensor = Tensor::zeros({2, 3}, Type::float64);
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.elements(), 6);
  EXPECT_EQ(tensor.bytes(), 48u);
}

TEST(Tensor, IsAMatrixOfItsLastAxis) {
  Tensor tensor = counting({2, 3, 4});
  const auto matrix = tensor.matrix<float>();
  EXPECT_EQ(matrix.rows, 6);
  EXPECT_EQ(matrix.columns, 4);
  EXPECT_EQ(matrix(5, 3), 23.0f);
  matrix(0, 1) = 100;
  EXPECT_EQ(tensor[1], 100.0);
}

TEST(Tensor, ReadsAnyTypeAsDouble) {
  EXPECT_EQ(Tensor::of({2}, {1.5, -2})[1], -2.0);
  EXPECT_EQ(Tensor::full({2}, 0.1, Type::float64)[0], 0.1);
}

TEST(Tensor, SharesItsNumbersWithCopies) {
  Tensor tensor = counting({3});
  Tensor copy = tensor;
  copy.data<float>()[1] = 7;
  EXPECT_EQ(tensor[1], 7.0);
}

TEST(Tensor, LivesAsLongAsACopyOrAView) {
  Tensor view;
  {
    const Tensor whole = counting({4, 2});
    view = whole.slice(1, 3).reshape({4});
  }
  EXPECT_EQ(values_of(view), (std::vector<double>{2, 3, 4, 5}));
}

TEST(Tensor, ReshapesWithoutACopy) {
  Tensor tensor = counting({2, 3});
  Tensor view = tensor.reshape({3, 2});
  EXPECT_EQ(view.shape(), (Shape{3, 2}));
  view.data<float>()[5] = 50;
  EXPECT_EQ(tensor[5], 50.0);
  EXPECT_EQ(error_of([&] {
              (void)tensor.reshape({4, 2});
            }),
            "reshape: (2, 3) has 6 elements but (4, 2) has 8");
  EXPECT_EQ(error_of([] { (void)Tensor().reshape({}); }),
            "reshape: () has 0 elements but () has 1");
}

TEST(Tensor, SlicesItsFirstAxisWithoutACopy) {
  Tensor tensor = counting({4, 3});
  Tensor view = tensor.slice(1, 3);
  EXPECT_EQ(view.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(view), (std::vector<double>{3, 4, 5, 6, 7, 8}));
  view.fill(0);
  EXPECT_EQ(tensor[2], 2.0);
  EXPECT_EQ(tensor[3], 0.0);
  EXPECT_EQ(tensor[9], 9.0);
  EXPECT_EQ(tensor.slice(4, 4).shape(), (Shape{0, 3}));
  EXPECT_EQ(Tensor::zeros({0, 3}).slice(0, 0).elements(), 0);
  EXPECT_EQ(Tensor::zeros({3, 2}, Type::float64).slice(1, 3).bytes(), 32u);
}

TEST(Tensor, RefusesSlicesOutsideOfIt) {
  const Tensor tensor = counting({4, 3});
  EXPECT_EQ(error_of([&] { (void)tensor.slice(-1, 2); }), "slice: [-1, 2) of shape (4, 3)");
  EXPECT_EQ(error_of([&] { (void)tensor.slice(2, 5); }), "slice: [2, 5) of shape (4, 3)");
  EXPECT_EQ(error_of([&] { (void)tensor.slice(3, 2); }), "slice: [3, 2) of shape (4, 3)");
  EXPECT_EQ(error_of([] { (void)Tensor::zeros({}).slice(0, 1); }), "slice: [0, 1) of shape ()");
}

TEST(Tensor, ClonesIntoMemoryOfItsOwn) {
  Tensor tensor = counting({3});
  Tensor clone = tensor.slice(1, 3).clone();
  clone.fill(9);
  EXPECT_EQ(values_of(tensor), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(Tensor::zeros({0, 2}).clone().shape(), (Shape{0, 2}));
}

TEST(Tensor, ConvertsIntoMemoryOfItsOwn) {
  Tensor tensor = Tensor::of({2}, {0.1f, -3});
  Tensor wide = tensor.to(Type::float64);
  EXPECT_EQ(wide.type(), Type::float64);
  EXPECT_EQ(values_of(wide), (std::vector<double>{0.1f, -3}));
  EXPECT_EQ(values_of(wide.to(Type::float32)), values_of(tensor));
  Tensor same = tensor.to(Type::float32);
  same.fill(0);
  EXPECT_EQ(tensor[1], -3.0);
}

TEST(Tensor, CopiesFromItsLike) {
  Tensor tensor = Tensor::zeros({2, 2});
  tensor.copy_from(Tensor::of({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(values_of(tensor), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(error_of([&] { tensor.copy_from(Tensor::zeros({4})); }),
            "copy: (4) of float32 into (2, 2) of float32");
  EXPECT_EQ(error_of([&] {
              tensor.copy_from(Tensor::zeros({2, 2}, Type::float64));
            }),
            "copy: (2, 2) of float64 into (2, 2) of float32");
  EXPECT_EQ(error_of([] { Tensor::zeros({}).copy_from(Tensor()); }),
            "copy: an absent tensor holds no numbers");
}

TEST(Tensor, CopiesBetweenViewsThatOverlap) {
  Tensor tensor = counting({5});
  tensor.slice(1, 5).copy_from(tensor.slice(0, 4));
  EXPECT_EQ(values_of(tensor), (std::vector<double>{0, 0, 1, 2, 3}));
}

TEST(Tensor, FillsWithTheNearestNumberOfItsType) {
  Tensor tensor = Tensor::zeros({2});
  tensor.fill(0.1);
  EXPECT_EQ(values_of(tensor), (std::vector<double>{0.1f, 0.1f}));
}

TEST(Tensor, TakesMemoryFromAnArena) {
  const auto arena = std::make_shared<Arena>();
  Tensor tensor = Tensor::uninitialised({3, 5}, Type::float64, arena);
  EXPECT_EQ(arena->used(), 128u);
  tensor.fill(2);
  EXPECT_EQ(tensor[14], 2.0);
  Tensor own = tensor.clone();
  EXPECT_EQ(arena->used(), 128u);
  tensor = {};
  arena->reset();
  EXPECT_EQ(own[14], 2.0);
}

}  // namespace
}  // namespace heed
