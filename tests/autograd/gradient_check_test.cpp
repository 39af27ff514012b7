#include "heed/autograd/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/dropout.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::random_tensor;
using Inputs = std::vector<Variable>;

// x², whose gradient 2 x dy goes through `spoil`.
Variable square(const Variable& x, std::function<void(std::span<double>)> spoil) {
  const Tensor y = multiply(x, x).value();
  return x.tape().record(y, {x}, [x, spoil = std::move(spoil)](const Tensor& dy) {
    Tensor dx = x.tape().allocate(x.shape(), x.type());
    for (int64_t i = 0; i < dx.elements(); ++i) dx.data<double>()[i] = 2 * x.value()[i] * dy[i];
    spoil(dx.span<double>());
    x.add_gradient(dx);
  });
}

GradientCheckResult check_square(std::function<void(std::span<double>)> spoil) {
  const Tensor x = Tensor::of({2, 3}, {1, -2, 3, 0.5, 4, -1});
  return check_gradients({x}, [&](Tape&, const Inputs& in) { return square(in[0], spoil); });
}

TEST(CheckGradients, AcceptsARightGradient) {
  const GradientCheckResult result = check_square([](std::span<double>) {});
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.complaint, "");
}

TEST(CheckGradients, RejectsAFactor) {
  const GradientCheckResult result = check_square([](std::span<double> dx) {
    for (double& element : dx) element *= 1.01;
  });
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.complaint.find("input 0, element 0 of (2, 3): the op reports "),
            std::string::npos)
      << result.complaint;
}

TEST(CheckGradients, RejectsOneWrongSignAndSaysWhere) {
  for (size_t wrong = 0; wrong < 6; ++wrong) {
    const GradientCheckResult result =
        check_square([&](std::span<double> dx) { dx[wrong] = -dx[wrong]; });
    EXPECT_FALSE(result.passed);
    EXPECT_NE(result.complaint.find(fmt::format("input 0, element {} of (2, 3)", wrong)),
              std::string::npos)
        << result.complaint;
  }
}

TEST(CheckGradients, RejectsWhatIsNoNumber) {
  EXPECT_FALSE(check_square([](std::span<double> dx) { dx[5] = std::nan(""); }).passed);
  EXPECT_FALSE(check_square([](std::span<double> dx) {
                 dx[5] = std::numeric_limits<double>::infinity();
               }).passed);
}

TEST(CheckGradients, RejectsAValueThatJumps) {
  const auto jump = [](Tape& tape, const Inputs& in) {
    Tensor y = tape.allocate({}, Type::float64);
    y.fill(in[0].value()[0] > 1.0 ? std::numeric_limits<double>::infinity() : 0.0);
    return tape.record(y, {in[0]}, [](const Tensor&) {});
  };
  EXPECT_FALSE(check_gradients({Tensor::of({}, {1})}, jump).passed);
}

TEST(CheckGradients, RejectsAGradientThatNeverArrives) {
  const auto forgetful = [](Tape& tape, const Inputs& in) {
    return tape.record(scale(in[0], 2).value(), {in[0]}, [](const Tensor&) {});
  };
  EXPECT_FALSE(check_gradients({random_tensor({2}, 1)}, forgetful).passed);
}

TEST(CheckGradients, NamesTheInputThatIsWrong) {
  const auto run = [](Tape& tape, const Inputs& in) {
    return tape.record(add(in[0], in[1]).value(), {in[0], in[1]},
                       [in](const Tensor& dy) { in[0].add_gradient(dy); });
  };
  const GradientCheckResult result =
      check_gradients({random_tensor({2}, 1), random_tensor({2}, 2)}, run);
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.complaint.find("input 1, element 0 of (2)"), std::string::npos)
      << result.complaint;
}

// A sum of plain ones as the probe would not see gradients that go to the wrong element.
TEST(CheckGradients, RejectsGradientsInTheWrongPlaces) {
  const auto reversed = [](Tape& tape, const Inputs& in) {
    return tape.record(scale(in[0], 1).value(), {in[0]}, [in](const Tensor& dy) {
      Tensor dx = in[0].tape().allocate(dy.shape(), dy.type());
      std::ranges::reverse_copy(dy.span<double>(), dx.data<double>());
      in[0].add_gradient(dx);
    });
  };
  EXPECT_FALSE(check_gradients({random_tensor({4}, 1)}, reversed).passed);
}

TEST(CheckGradients, RunsInDoubleAndLeavesTheInputsAlone) {
  const Tensor x = random_tensor({3}, 1);
  const std::vector<double> before = testing::values_of(x);
  const auto run = [](Tape&, const Inputs& in) {
    EXPECT_EQ(in[0].type(), Type::float64);
    return multiply(in[0], in[0]);
  };
  EXPECT_TRUE(check_gradients({x}, run).passed);
  EXPECT_EQ(testing::values_of(x), before);
}

TEST(CheckGradients, ChecksDropoutWithItsTapeOptions) {
  const auto run = [](Tape& tape, const Inputs& in) {
    EXPECT_TRUE(tape.training());
    return dropout(in[0], 0.5);
  };
  const GradientCheckOptions options{.tape = {.training = true, .seed = 5}};
  EXPECT_TRUE(check_gradients({random_tensor({50}, 1)}, run, options).passed);
}

TEST(CheckGradients, TakesItsTolerancesFromTheOptions) {
  const auto spoiled = [](Tape&, const Inputs& in) {
    return square(in[0], [](std::span<double> dx) {
      for (double& element : dx) element *= 1.01;
    });
  };
  const std::vector<Tensor> inputs{Tensor::of({2}, {1, 2})};
  EXPECT_FALSE(check_gradients(inputs, spoiled).passed);
  EXPECT_TRUE(check_gradients(inputs, spoiled, {.rtol = 0.02}).passed);
  EXPECT_TRUE(check_gradients(inputs, spoiled, {.atol = 0.1}).passed);
}

TEST(CheckGradients, RefusesAResultInFloat) {
  const Tensor narrow = random_tensor({2}, 1);
  EXPECT_EQ(error_of([&] {
              check_gradients({random_tensor({2}, 1)}, [&](Tape& tape, const Inputs&) {
                return scale(tape.watch(narrow), 2);
              });
            }),
            "check_gradients: the result has type float32");
}

}  // namespace
}  // namespace heed
