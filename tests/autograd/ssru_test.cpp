#include "heed/autograd/ssru.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::values_of;

// The equations, one number at a time.
std::vector<double> slow_ssru(const Tensor& candidates, const Tensor& gates, const Ragged& layout) {
  const int64_t width = candidates.shape()[1];
  std::vector<double> outputs(static_cast<size_t>(candidates.elements()));
  for (int64_t s = 0; s < layout.sequences(); ++s)
    for (int64_t i = 0; i < width; ++i) {
      double cell = 0;
      for (int64_t t = layout.begin(s); t < layout.end(s); ++t) {
        const double f = 1 / (1 + std::exp(-gates[t * width + i]));
        cell = f * cell + (1 - f) * candidates[t * width + i];
        outputs[static_cast<size_t>(t * width + i)] = cell > 0 ? cell : 0;
      }
    }
  return outputs;
}

TEST(Ssru, FollowsItsEquations) {
  const Ragged layout({3, 0, 7, 1});
  for (const int64_t width : {1, 8, 19}) {
    const Tensor candidates = random_tensor({layout.tokens(), width}, 1),
                 gates = random_tensor({layout.tokens(), width}, 2);
    Tape tape;
    const Variable found = ssru(tape.constant(candidates), tape.constant(gates), layout);
    EXPECT_TRUE(close(values_of(found.value()), slow_ssru(candidates, gates, layout), 1e-5, 1e-6));
  }
}

TEST(Ssru, StepsGiveTheSame) {
  const int64_t tokens = 5, width = 11;
  const Tensor candidates = random_tensor({tokens, width}, 3),
               gates = random_tensor({tokens, width}, 4);
  std::vector<float> cell(width), next(width), output(width), f(width);
  const std::vector<double> expected = slow_ssru(candidates, gates, Ragged({tokens}));
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t i = 0; i < width; ++i)
      f[static_cast<size_t>(i)] = static_cast<float>(1 / (1 + std::exp(-gates[t * width + i])));
    ssru_step(candidates.row<float>(t), f, t == 0 ? nullptr : cell.data(), next, output);
    cell = next;
    for (int64_t i = 0; i < width; ++i)
      EXPECT_NEAR(output[static_cast<size_t>(i)], expected[static_cast<size_t>(t * width + i)],
                  1e-5);
  }
}

TEST(Ssru, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable three = tape.constant(random_tensor({3, 2}, 1)),
                 four = tape.constant(random_tensor({4, 2}, 1));
  EXPECT_EQ(error_of([&] { ssru(three, four, Ragged({3})); }),
            "ssru: candidates (3, 2) and gates (4, 2) do not fit 3 tokens");
  EXPECT_EQ(error_of([&] { ssru(three, three, Ragged({2})); }),
            "ssru: candidates (3, 2) and gates (3, 2) do not fit 2 tokens");
}

}  // namespace
}  // namespace heed
