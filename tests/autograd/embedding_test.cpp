#include "heed/autograd/embedding.h"

#include <gtest/gtest.h>

#include <vector>

#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;
using Values = std::vector<double>;

TEST(Embed, GathersScaledRows) {
  Tape tape;
  const Variable table = tape.watch(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  const std::vector<int32_t> ids{2, 0, 2};
  const Variable y = embed(table, ids, 10);
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(values_of(y.value()), (Values{50, 60, 10, 20, 50, 60}));
}

TEST(Embed, AddsTheGradientsOfRepeatedIds) {
  Tape tape;
  const Variable table = tape.watch(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  const Variable y = embed(table, std::vector<int32_t>{2, 0, 2}, 10);
  tape.backward(y, Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(table.gradient()), (Values{30, 40, 0, 0, 60, 80}));
}

TEST(Embed, KeepsIdsOfItsOwn) {
  Tape tape;
  const Variable table = tape.watch(Tensor::of({2, 1}, {1, 2}));
  std::vector<int32_t> ids{0, 0};
  const Variable y = embed(table, ids);
  ids = {1, 1};
  tape.backward(y, Tensor::of({2, 1}, {3, 4}));
  EXPECT_EQ(values_of(table.gradient()), (Values{7, 0}));
}

TEST(Embed, TakesNoIds) {
  Tape tape;
  const Variable y = embed(tape.watch(Tensor::zeros({3, 2})), {});
  EXPECT_EQ(y.shape(), (Shape{0, 2}));
  EXPECT_NO_THROW(tape.backward(y, Tensor::zeros({0, 2})));
}

TEST(Embed, RefusesIdsOutsideTheTable) {
  Tape tape;
  const Variable table = tape.watch(Tensor::zeros({3, 2}));
  EXPECT_EQ(error_of([&] {
              (void)embed(table, std::vector<int32_t>{0, 3});
            }),
            "embed: id 3 is not in a vocabulary of 3");
  EXPECT_EQ(error_of([&] { (void)embed(table, std::vector<int32_t>{-1}); }),
            "embed: id -1 is not in a vocabulary of 3");
}

TEST(Embed, RefusesWhatIsNoTable) {
  Tape tape;
  EXPECT_EQ(error_of([&] { (void)embed(tape.watch(Tensor::zeros({3})), {}); }),
            "embed: a table of shape (3) but (vocabulary, width) was expected");
}

}  // namespace
}  // namespace heed
