// Streamed attention against the machine's multiply-add peak, by length, and compared with PyTorch
// if it is installed:
//   attention_bench [--torch bench/torch_attention.py] [--target avx2]
// Heads are stored as (batch, heads, tokens, width). Per pair of tokens and column, the forward
// pass counts 4 flop and the backward pass 10; causal attention counts the pairs that see each
// other.
#include <fmt/core.h>
#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "heed/base/random.h"
#include "heed/kernels/attention.h"
#include "peak.h"

namespace heed::bench {
namespace {

using kernels::MatrixView;

struct Shape {
  int64_t batch;
  int64_t heads;
  int64_t tokens;
  int64_t width;

  bool operator==(const Shape&) const = default;

  double forward_flop(bool causal) const {
    const auto n = static_cast<double>(tokens);
    const double pairs = causal ? n * (n + 1) / 2 : n * n;
    return 4.0 * static_cast<double>(batch * heads * width) * pairs;
  }
};

// By length, with heads enough to leave the first-level cache and few enough to stay in the others.
constexpr std::array<Shape, 6> kLengths = {{{1, 8, 16, 32},
                                            {1, 8, 32, 64},
                                            {1, 8, 128, 64},
                                            {1, 4, 512, 64},
                                            {1, 1, 2048, 64},
                                            {1, 1, 4096, 64}}};

// The shapes of the race with PyTorch.
constexpr std::array<Shape, 6> kRace = {{{64, 4, 16, 32},
                                         {64, 8, 32, 64},
                                         {16, 8, 128, 64},
                                         {4, 8, 512, 64},
                                         {1, 8, 2048, 64},
                                         {1, 8, 4096, 64}}};

// Self-attention over a batch, one call per head.
class Batch {
 public:
  Batch(const Shape& shape, bool causal) : shape_(shape), largest_(rows()), sums_(rows()) {
    for (auto& array : arrays_) array = random_array();
    if (causal)
      for (int64_t i = 0; i < shape.tokens; ++i) ranges_.push_back({0, i + 1});
  }

  void forward() {
    for (int64_t h = 0; h < shape_.batch * shape_.heads; ++h)
      kernels::attention_forward(head(h), view(output, h), softmax(h));
  }

  void backward() {
    for (int64_t h = 0; h < shape_.batch * shape_.heads; ++h) {
      const kernels::SoftmaxRows<float> rows = softmax(h);
      kernels::attention_backward(head(h), view(output, h), {rows.largest, rows.sums},
                                  view(output_gradient, h),
                                  {.queries = view(query_gradient, h),
                                   .keys = view(key_gradient, h),
                                   .values = view(value_gradient, h)});
    }
  }

 private:
  enum Array {
    queries,
    keys,
    values,
    output,
    output_gradient,
    query_gradient,
    key_gradient,
    value_gradient,
    arrays
  };

  size_t rows() const { return static_cast<size_t>(shape_.batch * shape_.heads * shape_.tokens); }

  hwy::AlignedFreeUniquePtr<float[]> random_array() {
    const size_t size = rows() * static_cast<size_t>(shape_.width);
    auto array = hwy::AllocateAligned<float>(size);
    for (size_t i = 0; i < size; ++i) array[i] = static_cast<float>(rng_.uniform(-1.7, 1.7));
    return array;
  }

  MatrixView<float> view(Array array, int64_t head) {
    float* first = arrays_[array].get() + head * shape_.tokens * shape_.width;
    return kernels::matrix(first, shape_.tokens, shape_.width);
  }

  kernels::SoftmaxRows<float> softmax(int64_t head) {
    const auto tokens = static_cast<size_t>(shape_.tokens);
    const size_t first = static_cast<size_t>(head) * tokens;
    return {std::span(largest_).subspan(first, tokens), std::span(sums_).subspan(first, tokens)};
  }

  kernels::AttentionHead<float> head(int64_t h) {
    return {.queries = view(queries, h),
            .keys = view(keys, h),
            .values = view(values, h),
            .scale = 1.0f / std::sqrt(static_cast<float>(shape_.width)),
            .ranges = ranges_};
  }

  Shape shape_;
  Rng rng_{1};
  std::array<hwy::AlignedFreeUniquePtr<float[]>, arrays> arrays_;
  std::vector<float> largest_, sums_;
  std::vector<kernels::KeyRange> ranges_;
};

struct Seconds {
  double forward;
  double backward;
};

// Of the peak.
struct Shares {
  double forward = 0;
  double backward = 0;

  void keep_best(const Shares& other) {
    forward = std::max(forward, other.forward);
    backward = std::max(backward, other.backward);
  }
};

Seconds measure(const Shape& shape, bool causal) {
  Batch batch(shape, causal);
  batch.forward();
  batch.backward();
  // The best of many short runs is one that nothing else disturbed; the long ones cannot be
  // repeated as often.
  const int repeats = std::clamp(static_cast<int>(1e10 / shape.forward_flop(causal)), 2, 1000);
  return {best_seconds(repeats, [&] { batch.forward(); }),
          best_seconds(repeats, [&] { batch.backward(); })};
}

using SharesByLength =
    std::array<std::array<Shares, 2>, kLengths.size()>;  // the second index: causal

// Several rounds over all lengths, because a busy machine is slow for seconds.
SharesByLength best_shares() {
  SharesByLength best;
  PeakAround peak_around(peak_flops);
  for (int round = 0; round < 8; ++round)
    for (size_t i = 0; i < kLengths.size(); ++i)
      for (const bool causal : {false, true}) {
        const Seconds seconds = measure(kLengths[i], causal);
        const double flop = kLengths[i].forward_flop(causal);
        const double peak = peak_around.last();
        best[i][causal].keep_best(
            {flop / seconds.forward / peak, 2.5 * flop / seconds.backward / peak});
      }
  return best;
}

void print_lengths() {
  const SharesByLength best = best_shares();
  fmt::print(
      "Of the peak of one thread, about {:.0f} GFLOP/s\n{:>7} {:>6} {:>9} {:>9} {:>16} {:>16}\n",
      peak_flops() * 1e-9, "tokens", "width", "forward", "backward", "causal forward",
      "causal backward");
  for (size_t i = 0; i < kLengths.size(); ++i) {
    fmt::print("{:>7} {:>6}", kLengths[i].tokens, kLengths[i].width);
    for (const bool causal : {false, true}) {
      const int column = causal ? 15 : 8;
      fmt::print(" {:>{}.1f}% {:>{}.1f}%", 100 * best[i][causal].forward, column,
                 100 * best[i][causal].backward, column);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

// The speed-up of two workers over one, each with its own heads.
double two_workers(const Shape& shape) {
  Batch first(shape, false), second(shape, false);
  const int rounds = std::max(1, static_cast<int>(4e9 / shape.forward_flop(false) / 3.5));
  const auto work = [&](Batch& batch) {
    for (int i = 0; i < rounds; ++i) {
      batch.forward();
      batch.backward();
    }
  };
  work(first);
  work(second);
  double alone = 1e30, both = 1e30;
  for (int turn = 0; turn < 20; ++turn) {
    alone = std::min(alone, best_seconds(1, [&] { work(first); }));
    both = std::min(both, best_seconds(1, [&] {
                      std::thread other([&] { work(second); });
                      work(first);
                      other.join();
                    }));
  }
  return 2 * alone / both;
}

void print_workers() {
  fmt::print("\nTwo workers against one, forward and backward\n{:>7} {:>6}\n", "tokens", "width");
  for (const Shape& shape : kLengths)
    if (shape.tokens >= 32 && shape.tokens <= 512)
      fmt::print("{:>7} {:>6} {:>8.2f} times\n", shape.tokens, shape.width, two_workers(shape));
}

// The output of a script like torch_attention.py, line by line.
std::vector<std::string> lines_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"),
                                                               ::pclose);
  std::vector<std::string> lines;
  std::array<char, 256> line;
  while (output && std::fgets(line.data(), static_cast<int>(line.size()), output.get()) != nullptr)
    lines.emplace_back(line.data());
  return lines;
}

void print_race(const std::string& script, bool causal) {
  fmt::print(
      "\nMilliseconds of forward and backward on one thread{}\n{:>7} {:>7} {:>7} {:>6} {:>9} "
      "{:>9}\n",
      causal ? ", causal" : "", "batch", "heads", "tokens", "width", "heed", "PyTorch");
  for (const std::string& line :
       lines_of("/usr/bin/python3 '" + script + "'" + (causal ? " --causal" : ""))) {
    long batch = 0, heads = 0, tokens = 0, width = 0;
    double forward = 0, forward_rate = 0, backward = 0;
    if (std::sscanf(line.c_str(), "%ld %ld %ld %ld %lf %lf %lf", &batch, &heads, &tokens, &width,
                    &forward, &forward_rate, &backward) != 7)
      continue;
    const Shape shape = {batch, heads, tokens, width};
    if (std::find(kRace.begin(), kRace.end(), shape) == kRace.end()) continue;
    const Seconds ours = measure(shape, causal);
    const double mine = 1e3 * (ours.forward + ours.backward);
    const double theirs = forward + backward;
    fmt::print("{:>7} {:>7} {:>7} {:>6} {:>9.2f} {:>9.2f}   {:.1f} times as fast\n", batch, heads,
               tokens, width, mine, theirs, theirs / mine);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace heed::bench

int main(int argc, char** argv) {
  using namespace heed::bench;
  std::string script;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    if (option == "--torch") script = value;
    if (option == "--target" && value == "avx2") hwy::SetSupportedTargetsForTest(HWY_AVX2);
  }
  print_lengths();
  print_workers();
  if (!script.empty() && std::system("/usr/bin/python3 -c 'import torch' 2> /dev/null") == 0)
    for (const bool causal : {false, true}) print_race(script, causal);
}
