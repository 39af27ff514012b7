#include "heed/autograd/dropout.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;
using Values = std::vector<double>;

Values dropped_ones(Tape& tape, double rate) {
  return values_of(dropout(tape.constant(Tensor::full({1000}, 1)), rate).value());
}

TEST(Dropout, IsTheIdentityOutsideTraining) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2}, {1, 2}));
  const Variable y = dropout(x, 0.5);
  EXPECT_EQ(values_of(y.value()), (Values{1, 2}));
  tape.backward(sum(y));
  EXPECT_EQ(values_of(x.gradient()), (Values{1, 1}));
}

TEST(Dropout, OfRateZeroIsTheIdentity) {
  Tape tape({.training = true});
  EXPECT_EQ(dropped_ones(tape, 0), Values(1000, 1.0));
}

TEST(Dropout, DropsAtItsRateAndScalesTheRest) {
  Tape tape({.training = true, .seed = 3});
  const Variable y = dropout(tape.constant(Tensor::full({100000}, 1)), 0.2);
  int kept = 0;
  for (const double element : values_of(y.value())) {
    if (element == 0) continue;
    ASSERT_FLOAT_EQ(static_cast<float>(element), 1.25f);
    ++kept;
  }
  // Six standard deviations of a binomial distribution.
  EXPECT_NEAR(kept, 80000, 760);
}

TEST(Dropout, SendsGradientsOnlyThroughWhatItKept) {
  Tape tape({.training = true, .seed = 3});
  const Variable x = tape.watch(Tensor::full({1000}, 1));
  const Variable y = dropout(x, 0.5);
  tape.backward(sum(y));
  EXPECT_EQ(values_of(x.gradient()), values_of(y.value()));
}

TEST(Dropout, DropsTheSameForTheSameSeed) {
  Tape first({.training = true, .seed = 3}), second({.training = true, .seed = 3});
  const Values values = dropped_ones(first, 0.5);
  EXPECT_EQ(values, dropped_ones(second, 0.5));
  first.clear(3);
  EXPECT_EQ(values, dropped_ones(first, 0.5));
}

TEST(Dropout, DropsOtherElementsForOtherSeedsAndRequests) {
  Tape first({.training = true, .seed = 3}), second({.training = true, .seed = 4});
  const Values values = dropped_ones(first, 0.5);
  EXPECT_NE(values, dropped_ones(first, 0.5));
  EXPECT_NE(values, dropped_ones(second, 0.5));
}

TEST(Dropout, RefusesRatesThatAreNone) {
  Tape tape({.training = true});
  const Variable x = tape.watch(Tensor::of({2}, {1, 2}));
  EXPECT_EQ(error_of([&] { (void)dropout(x, 1.0); }),
            "dropout: a rate of 1 but 0 <= rate < 1 was expected");
  EXPECT_EQ(error_of([&] { (void)dropout(x, -0.1); }),
            "dropout: a rate of -0.1 but 0 <= rate < 1 was expected");
  EXPECT_EQ(error_of([&] { (void)dropout(x, std::numeric_limits<double>::quiet_NaN()); }),
            "dropout: a rate of nan but 0 <= rate < 1 was expected");
}

}  // namespace
}  // namespace heed
