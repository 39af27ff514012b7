#include "heed/autograd/row_gradient.h"

#include <gtest/gtest.h>

#include <vector>

#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/embedding.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;
using Values = std::vector<double>;

struct Place {
  std::vector<int32_t> rows;
  std::vector<float> values;
  RowGradient gradient;

  Place(std::vector<int32_t> of, size_t width)
      : rows(std::move(of)), values(rows.size() * width), gradient{rows, values} {}
};

TEST(RowGradient, AddsUpTheRowsOfItsIds) {
  const Place place({1, 4, 7}, 2);
  place.gradient.add(Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}), std::vector<int32_t>{7, 1, 7}, 10);
  EXPECT_EQ(place.values, (std::vector<float>{30, 40, 0, 0, 60, 80}));
}

TEST(RowGradient, RefusesRowsThatItDoesNotKeep) {
  const Place place({1, 4}, 1);
  for (const int32_t row : {0, 3, 9})
    EXPECT_EQ(error_of([&] {
                place.gradient.add(Tensor::of({1, 1}, {1}), std::vector<int32_t>{row}, 1);
              }),
              fmt::format("embed: row {} is looked up, but only 2 other rows were announced", row));
}

TEST(RowGradient, LeavesTheTableWhatOtherOpsAddToIt) {
  const Tensor table = Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6});
  Tensor home = Tensor::zeros({3, 2});
  const Place place({0, 2}, 2);
  Tape tape;
  tape.collect_gradient(table, home);
  tape.collect_rows(table, &place.gradient);
  const Variable found = embed(tape.watch_rows(table), std::vector<int32_t>{2, 0, 2}, 10);
  EXPECT_FALSE(tape.is_watched(table));
  const Variable other = scale(tape.watch(table), 2);
  EXPECT_TRUE(tape.is_watched(table));
  EXPECT_EQ(values_of(found.value()), (Values{50, 60, 10, 20, 50, 60}));
  std::vector<const float*> settled;
  tape.backward(add(found, other), Tensor::of({3, 2}, {1, 2, 3, 4, 5, 6}), [&](const Tensor& done) {
    // Before the rows are looked up, which is what backward passes come to last.
    EXPECT_EQ(place.values, std::vector<float>(4));
    settled.push_back(done.data<float>());
  });
  EXPECT_EQ(settled, std::vector<const float*>{home.data<float>()});
  EXPECT_EQ(values_of(home), (Values{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(place.values, (std::vector<float>{30, 40, 60, 80}));
}

TEST(RowGradient, IsTheTablesOwnWithoutAPlace) {
  const Tensor table = Tensor::of({2, 1}, {1, 2});
  const Place place({1}, 1);
  Tape tape;
  tape.collect_rows(table, &place.gradient);
  tape.collect_rows(table, nullptr);
  const Variable y = embed(tape.watch_rows(table), std::vector<int32_t>{1, 1});
  tape.backward(y, Tensor::of({2, 1}, {3, 4}));
  EXPECT_EQ(values_of(tape.gradient_of(table)), (Values{0, 7}));
  EXPECT_EQ(place.values, std::vector<float>(1));
}

}  // namespace
}  // namespace heed
