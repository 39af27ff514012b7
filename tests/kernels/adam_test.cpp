#include "heed/kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/adam.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

TEST(Adam, FollowsTheReferenceOverSeveralSteps) {
  for_every_target([] {
    for (const double decay : {0.0, 0.1})
      for (const size_t size : awkward_sizes) {
        SCOPED_TRACE(::testing::Message() << "size " << size << " decay " << decay);
        GuardedFloats parameter(random_floats(size, 1), size % 3), first(size, 1), second(size, 2);
        std::vector<double> wide_parameter = widened(parameter.view()), wide_first(size),
                            wide_second(size);
        for (int64_t step = 1; step <= 4; ++step) {
          const AdamStep settings{
              .learning_rate = 0.01, .decay = decay, .gradient_scale = 0.5, .step = step};
          const GuardedFloats gradient(random_floats(size, static_cast<uint64_t>(step) + size), 1);
          adam_update(settings, gradient.view(), first.span(), second.span(), parameter.span());
          reference::adam_update<double>(settings, widened(gradient.view()), wide_first,
                                         wide_second, wide_parameter);
        }
        EXPECT_TRUE(close(first.view(), std::span<const double>(wide_first), 1e-5, 1e-7));
        EXPECT_TRUE(close(second.view(), std::span<const double>(wide_second), 1e-5, 1e-7));
        EXPECT_TRUE(close(parameter.view(), std::span<const double>(wide_parameter), 1e-6, 1e-6));
        EXPECT_TRUE(parameter.intact() && first.intact() && second.intact());
      }
  });
}

// The first step of Adam has the size of the learning rate, against the sign of the gradient.
TEST(Adam, TheFirstStepHasTheSizeOfTheLearningRate) {
  for_every_target([] {
    const std::vector<float> gradient = {1e-3f, -5.0f, 100.0f};
    std::vector<float> first(3), second(3), parameter = {1.0f, 1.0f, 1.0f};
    adam_update({.learning_rate = 0.1}, gradient, first, second, parameter);
    EXPECT_TRUE(close(parameter, std::vector<float>{0.9f, 1.1f, 0.9f}, 1e-5, 0.0));
  });
}

TEST(Adam, WithoutGradientsNothingMovesButTheDecay) {
  for_every_target([] {
    const std::vector<float> gradient(20, 0.0f);
    std::vector<float> first(20), second(20), parameter(20, 2.0f);
    adam_update({.learning_rate = 0.1, .decay = 0.0}, gradient, first, second, parameter);
    for (const float value : parameter) EXPECT_EQ(value, 2.0f);
    adam_update({.learning_rate = 0.1, .decay = 0.5, .step = 2}, gradient, first, second,
                parameter);
    for (const float value : parameter) EXPECT_FLOAT_EQ(value, 1.9f);
  });
}

TEST(Adam, KnownValuesInDouble) {
  // Two steps by hand: g = 2 then -1, β1 = 0.5, β2 = 0.75, learning rate 1, ε = 0.
  std::vector<double> first(1), second(1), parameter(1);
  const AdamStep settings{.learning_rate = 1.0, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.0};
  adam_update(settings, std::vector<double>{2.0}, first, second, parameter);
  EXPECT_NEAR(parameter[0], -1.0, 1e-15);
  AdamStep next = settings;
  next.step = 2;
  adam_update(next, std::vector<double>{-1.0}, first, second, parameter);
  // first = 0, because 0.5 · 1 + 0.5 · (-1) = 0; second = 0.75 · 1 + 0.25 · 1 = 1.
  EXPECT_NEAR(first[0], 0.0, 1e-15);
  EXPECT_NEAR(second[0], 1.0, 1e-15);
  EXPECT_NEAR(parameter[0], -1.0, 1e-15);
}

}  // namespace
}  // namespace heed::kernels
