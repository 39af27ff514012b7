// Attention with its weights, in a few lines: three queries look at four keys.
#include <fmt/format.h>

#include "heed/heed.h"

int main() {
  using namespace heed;
  Tape tape({.record = false});
  const Variable queries = tape.constant(Tensor::of({3, 2}, {9, 0, 0, 9, 9, 9}));
  const Variable keys = tape.constant(Tensor::of({4, 2}, {1, 0, 0, 1, -1, 0, 0, -1}));
  const Variable values = tape.constant(Tensor::of({4, 1}, {10, 20, 30, 40}));
  const auto [output, weights] =
      attend({.queries = queries, .keys = keys, .values = values, .want_weights = true});
  for (int64_t i = 0; i < 3; ++i)
    fmt::print("query {}: {:.1f}, looked at 0 with {:.2f}, at 1 with {:.2f}\n", i,
               output.value()[i], weights[4 * i], weights[4 * i + 1]);
}
