// GRU and LSTM layers over a ragged batch, forward and backward, as a fraction of the machine's
// peak: everything besides the matrix products must be cheap.
#include <fmt/core.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <vector>

#include "heed/layers/gru.h"
#include "heed/layers/lstm.h"
#include "peak.h"

namespace heed::bench {
namespace {

// Sentences of 5 to 45 tokens, 25 on average.
Ragged sentences(int64_t count) {
  Rng rng(1);
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < count; ++i) lengths.push_back(5 + static_cast<int64_t>(rng.below(41)));
  return Ragged(lengths);
}

Tensor random_tensor(const Shape& shape) {
  Rng rng(2);
  Tensor x = Tensor::uninitialised(shape);
  for (float& element : x.span<float>()) element = static_cast<float>(rng.normal());
  return x;
}

struct Seconds {
  double forward;
  double both;
};

template <typename Network>
Seconds measure(const Network& network, const Tensor& x, const Ragged& layout,
                const Tensor& gradient) {
  Tape tape;
  const auto forward = [&] {
    tape.clear();
    return network(tape.watch(x), layout).outputs;
  };
  const auto both = [&] {
    const Variable outputs = forward();
    tape.backward(outputs, gradient);
  };
  both();
  return {best_seconds(8, forward), best_seconds(8, both)};
}

template <typename Network>
void print_row(const char* name, int64_t gates, int64_t width, int64_t count, double peak) {
  Rng rng(3);
  const Network network({.inputs = width, .hidden = width}, rng);
  const Ragged layout = sentences(count);
  const Tensor x = random_tensor({layout.tokens(), width});
  const Seconds seconds = measure(network, x, layout, x);
  const double tokens = static_cast<double>(layout.tokens());
  // One product with the inputs and one with the states; two more of each in the backward pass.
  const double flops = tokens * 2.0 * static_cast<double>(gates * width * 2 * width);
  fmt::print("{:6}{:>7}{:>11}{:>10.0f} %{:>18.0f} %{:>16.0f}\n", name, width, count,
             100 * flops / seconds.forward / peak, 100 * 3 * flops / seconds.both / peak,
             tokens / seconds.both);
}

void print_table(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const double peak = peak_flops();
  const int64_t supported = hwy::SupportedTargets();
  fmt::print("Recurrent layers with {}, in percent of the peak of {:.0f} GFLOP/s, one thread\n\n",
             hwy::TargetName(supported & -supported), peak / 1e9);
  fmt::print("{:6}{:>7}{:>11}{:>12}{:>20}{:>16}\n", "", "width", "sentences", "forward",
             "with backward", "tokens/s");
  for (const int64_t width : {128, 256, 512})
    for (const int64_t count : {16, 64}) {
      print_row<Gru>("GRU", 3, width, count, peak);
      print_row<Lstm>("LSTM", 4, width, count, peak);
    }
  fmt::print("\n");
}

void run() {
  const int64_t all = hwy::SupportedTargets();
  const int64_t without_wider_than_avx2 = all & ~(HWY_AVX2 - 1);
  print_table(all);
  if (without_wider_than_avx2 != all && (all & HWY_AVX2) != 0) print_table(without_wider_than_avx2);
}

}  // namespace
}  // namespace heed::bench

int main() { heed::bench::run(); }
