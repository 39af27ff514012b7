// Every op of a room through the gradient checker. A test program includes this in one source,
// which defines `every_case` and instantiates the suite with `every_op()`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "close.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/gradient_check.h"
#include "ops_of.h"
#include "tensors.h"

namespace heed::testing {

using Inputs = std::vector<Variable>;

struct OpCase {
  std::string op;
  std::string what;  // which case of the op
  std::vector<Tensor> inputs;
  std::function<Variable(const Inputs&)> run;
};

inline std::string describe(const OpCase& c) {
  std::string text = fmt::format("{}, {}:", c.op, c.what);
  for (const Tensor& input : c.inputs) text += fmt::format(" {}", input.shape());
  return text;
}

// Single numbers, single elements, sizes around a vector's width, several axes.
inline const std::vector<Shape> awkward_shapes = {{},     {1},       {1, 1},  {5},   {3, 4},
                                                  {4, 1}, {2, 3, 5}, {2, 33}, {0, 3}};

class OpTable {
 public:
  void add(std::string op, std::string what, std::vector<Tensor> inputs,
           std::function<Variable(const Inputs&)> run) {
    cases_.push_back({std::move(op), std::move(what), std::move(inputs), std::move(run)});
  }

  // An op of `operands` inputs of one shape, in every awkward shape.
  void add_in_every_shape(const std::string& op, size_t operands,
                          const std::function<Variable(const Inputs&)>& run) {
    for (const Shape& shape : awkward_shapes) {
      std::vector<Tensor> inputs;
      for (size_t i = 0; i < operands; ++i) inputs.push_back(random_tensor(shape, i + 1));
      add(op, "every shape", inputs, run);
    }
  }

  std::vector<OpCase> take() { return std::move(cases_); }

 private:
  std::vector<OpCase> cases_;
};

// The cases of all ops, in several shapes.
std::vector<OpCase> every_case();

inline constexpr TapeOptions training = {.training = true, .seed = 11};

inline GradientCheckResult check(const OpCase& c,
                                 const std::function<Inputs(const Inputs&)>& spoil) {
  return check_gradients(c.inputs, [&](Tape&, const Inputs& in) { return c.run(spoil(in)); },
                         {.tape = training});
}

struct Evaluation {
  std::vector<double> value;
  std::vector<std::vector<double>> gradients;  // of each input
};

inline Evaluation evaluate(const OpCase& c, Type type) {
  Tape tape(training);
  Inputs in;
  for (const Tensor& input : c.inputs) in.push_back(tape.watch(input.to(type)));
  const Variable result = c.run(in);
  EXPECT_EQ(result.type(), type);
  tape.backward(result, random_tensor(result.shape(), 9).to(type));
  Evaluation evaluation{values_of(result.value()), {}};
  for (const Variable& input : in) evaluation.gradients.push_back(values_of(input.gradient()));
  return evaluation;
}

using Spoil = std::function<void(std::span<double>)>;

// x itself, whose gradient goes through `spoil`.
inline Variable spoiled(const Variable& x, const Spoil& spoil) {
  return x.tape().record(x.value(), {x}, [x, spoil](const Tensor& dy) {
    Tensor dx = dy.clone();
    spoil(dx.span<double>());
    x.add_gradient(dx);
  });
}

// The index of the largest gradient, unless all are too small for the checker to see 1% of.
inline std::optional<size_t> largest(const std::vector<double>& gradients) {
  const auto found = std::ranges::max_element(gradients, {}, [](double g) { return std::abs(g); });
  if (found == gradients.end() || std::abs(*found) < 1e-2) return std::nullopt;
  return static_cast<size_t>(found - gradients.begin());
}

inline std::set<std::string> every_op() {
  std::set<std::string> ops;
  for (const OpCase& c : every_case()) ops.insert(c.op);
  return ops;
}

class EveryOp : public ::testing::TestWithParam<std::string> {
 protected:
  // Runs a test on each case of the op and says in which one it failed.
  static void in_each_case(const std::function<void(const OpCase&)>& test) {
    for (const OpCase& c : every_case()) {
      if (c.op != GetParam()) continue;
      SCOPED_TRACE(describe(c));
      test(c);
    }
  }
};

TEST_P(EveryOp, HasTheGradientThatSmallChangesShow) {
  in_each_case([](const OpCase& c) {
    const GradientCheckResult result = check(c, [](const Inputs& in) { return in; });
    EXPECT_TRUE(result.passed) << result.complaint;
  });
}

// Gradients from several uses must add up, not replace each other.
TEST_P(EveryOp, AddsUpTheGradientsOfTwoUses) {
  in_each_case([](const OpCase& c) {
    const auto run_twice = [&](Tape&, const Inputs& in) {
      const Variable once = c.run(in);
      return add(scale(once, 3), c.run(in));
    };
    const GradientCheckResult result = check_gradients(c.inputs, run_twice, {.tape = training});
    EXPECT_TRUE(result.passed) << result.complaint;
  });
}

TEST_P(EveryOp, AgreesInFloatAndDouble) {
  in_each_case([](const OpCase& c) {
    const Evaluation narrow = evaluate(c, Type::float32), wide = evaluate(c, Type::float64);
    EXPECT_TRUE(close(narrow.value, wide.value, 1e-5, 1e-5));
    for (size_t i = 0; i < wide.gradients.size(); ++i)
      EXPECT_TRUE(close(narrow.gradients[i], wide.gradients[i], 1e-5, 1e-5))
          << "gradient of input " << i;
  });
}

TEST_P(EveryOp, HasTheSameValueWithoutTheTape) {
  in_each_case([](const OpCase& c) {
    Tape tape({.record = false, .training = true, .seed = training.seed});
    Inputs in;
    for (const Tensor& input : c.inputs) in.push_back(tape.watch(input));
    const Variable result = c.run(in);
    EXPECT_FALSE(result.needs_gradient());
    EXPECT_TRUE(close(values_of(result.value()), evaluate(c, Type::float32).value, 1e-6, 1e-6));
  });
}

// The checker must notice a wrong factor on the gradient of one input, and a wrong sign, for each
// op.
TEST_P(EveryOp, FailsTheCheckerWithAWrongGradient) {
  int spoiled_inputs = 0;
  in_each_case([&](const OpCase& c) {
    const Evaluation right = evaluate(c, Type::float64);
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const std::optional<size_t> element = largest(right.gradients[i]);
      if (!element) continue;  // an input without a gradient cannot be wrong
      ++spoiled_inputs;
      const auto passes_with = [&](const Spoil& spoil) {
        return check(c,
                     [&](Inputs in) {
                       in[i] = spoiled(in[i], spoil);
                       return in;
                     })
            .passed;
      };
      EXPECT_FALSE(passes_with([](std::span<double> dx) {
        for (double& gradient : dx) gradient *= 1.01;
      })) << "input "
          << i;
      EXPECT_FALSE(passes_with([&](std::span<double> dx) { dx[*element] = -dx[*element]; }))
          << "input " << i;
    }
  });
  EXPECT_GT(spoiled_inputs, 0);
}

}  // namespace heed::testing
