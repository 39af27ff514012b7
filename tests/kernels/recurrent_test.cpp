#include "heed/kernels/recurrent.h"

#include <gtest/gtest.h>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/recurrent.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

// The same numbers for a kernel (float, misaligned, guarded) and for its reference (double).
struct Buffer {
  // Not inlined, or GCC 12 warns of copies of a negative size that cannot happen.
  [[gnu::noinline]] Buffer(std::span<const float> numbers, size_t offset)
      : fast(numbers, offset), exact(widened(numbers)) {}

  ::testing::AssertionResult agrees() const {
    if (!fast.intact()) return ::testing::AssertionFailure() << "wrote outside of its span";
    // Sums of projections that cancel keep the rounding of the larger terms, up to about 8.
    return close(fast.view(), std::span<const double>(exact), 2e-6, 1e-6);
  }

  GuardedFloats fast;
  std::vector<double> exact;
};

// Gate values, which lie between 0 and 1, or between -1 and 1 for the candidate.
std::vector<float> squashed_floats(size_t size, uint64_t seed) {
  std::vector<float> numbers = random_floats(size, seed);
  for (float& number : numbers) number = number / (1.0f + std::abs(number));
  return numbers;
}

template <typename Check>
void for_all_sizes(Check check) {
  for_every_target([&] {
    for (const size_t hidden : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << hidden << " hidden, offset " << offset);
        check(hidden, offset);
      }
  });
}

TEST(Recurrent, GruStep) {
  for_all_sizes([](size_t hidden, size_t offset) {
    Buffer previous(squashed_floats(hidden, 1), offset),
        hidden_gates(random_floats(3 * hidden, 2, 2.0), 1);
    Buffer gates(random_floats(3 * hidden, 3, 2.0), 2 - offset),
        state(random_floats(hidden, 4), offset);
    gru_step(GruStep<float>{previous.fast.view(), hidden_gates.fast.view(), gates.fast.span(),
                            state.fast.span()});
    reference::gru_step(
        GruStep<double>{previous.exact, hidden_gates.exact, gates.exact, state.exact});
    EXPECT_TRUE(gates.agrees());
    EXPECT_TRUE(state.agrees());
  });
}

TEST(Recurrent, GruStepBackward) {
  for_all_sizes([](size_t hidden, size_t offset) {
    Buffer previous(squashed_floats(hidden, 1), offset),
        hidden_gates(random_floats(3 * hidden, 2), 1);
    Buffer gates(squashed_floats(3 * hidden, 3), 2 - offset),
        state(random_floats(hidden, 4), offset);
    gru_step_backward(GruStepGradient<float>{previous.fast.view(), hidden_gates.fast.span(),
                                             gates.fast.span(), state.fast.span()});
    reference::gru_step_backward(
        GruStepGradient<double>{previous.exact, hidden_gates.exact, gates.exact, state.exact});
    EXPECT_TRUE(gates.agrees());
    EXPECT_TRUE(hidden_gates.agrees());
    EXPECT_TRUE(state.agrees());
  });
}

TEST(Recurrent, LstmStep) {
  for_all_sizes([](size_t hidden, size_t offset) {
    Buffer previous(random_floats(hidden, 1), offset),
        hidden_gates(random_floats(4 * hidden, 2, 2.0), 1);
    Buffer gates(random_floats(4 * hidden, 3, 2.0), 2 - offset),
        state(random_floats(hidden, 4), offset);
    Buffer cell(random_floats(hidden, 5), 2 - offset);
    lstm_step(LstmStep<float>{previous.fast.view(), hidden_gates.fast.span(), gates.fast.span(),
                              cell.fast.span(), state.fast.span()});
    reference::lstm_step(
        LstmStep<double>{previous.exact, hidden_gates.exact, gates.exact, cell.exact, state.exact});
    EXPECT_TRUE(hidden_gates.agrees());
    EXPECT_TRUE(gates.agrees());
    EXPECT_TRUE(cell.agrees());
    EXPECT_TRUE(state.agrees());
  });
}

TEST(Recurrent, LstmStepBackward) {
  for_all_sizes([](size_t hidden, size_t offset) {
    Buffer previous(random_floats(hidden, 1), offset),
        hidden_gates(squashed_floats(4 * hidden, 2), 1);
    Buffer gates(squashed_floats(4 * hidden, 3), 2 - offset),
        state(random_floats(hidden, 4), offset);
    Buffer cell(random_floats(hidden, 5), 2 - offset);
    lstm_step_backward(LstmStepGradient<float>{previous.fast.view(), state.fast.view(),
                                               hidden_gates.fast.span(), gates.fast.span(),
                                               cell.fast.span()});
    reference::lstm_step_backward(LstmStepGradient<double>{
        previous.exact, state.exact, hidden_gates.exact, gates.exact, cell.exact});
    EXPECT_TRUE(hidden_gates.agrees());
    EXPECT_TRUE(gates.agrees());
    EXPECT_TRUE(cell.agrees());
  });
}

}  // namespace
}  // namespace heed::kernels
