// Streamed attention against the machine's multiply-add peak, by length, and beside PyTorch where it is installed:
//   attention_bench [--torch torch_attention.py] [--target avx2]
// Heads are stored as (batch, heads, tokens, depth). Forward counts 4 n m d flop per head, backward 10 n m d; causal
// attention half of that.
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/random.h"
#include "heed/kernels/attention.h"
#include "peak.h"

namespace {

using heed::bench::best_seconds;
using heed::kernels::matrix;

struct Shape {
  int64_t batch;
  int64_t heads;
  int64_t tokens;
  int64_t depth;

  double forward_flop(bool causal) const {
    const double pairs = static_cast<double>(tokens) * static_cast<double>(tokens) * (causal ? 0.5 : 1.0);
    return 4.0 * static_cast<double>(batch * heads) * pairs * static_cast<double>(depth);
  }
};

// The shapes of the race with PyTorch.
constexpr std::array<Shape, 6> kShapes = {{{64, 4, 16, 32},
                                           {64, 8, 32, 64},
                                           {16, 8, 128, 64},
                                           {4, 8, 512, 64},
                                           {1, 8, 2048, 64},
                                           {1, 8, 4096, 64}}};

// Self-attention over a batch, one call per head.
class Batch {
 public:
  Batch(const Shape& shape, bool causal) : shape_(shape) {
    for (std::vector<float>* array : {&queries_, &keys_, &values_, &output_gradient_}) fill(*array);
    for (std::vector<float>* array : {&output_, &query_gradient_, &key_gradient_, &value_gradient_})
      array->assign(queries_.size(), 0.0f);
    log_sums_.assign(static_cast<size_t>(shape.batch * shape.heads * shape.tokens), 0.0f);
    if (causal)
      for (int64_t i = 0; i < shape.tokens; ++i) ranges_.push_back({0, i + 1});
  }

  void forward() {
    for (int64_t h = 0; h < heads(); ++h) heed::kernels::attention_forward(head(h), view(output_, h), log_sums(h));
  }

  void backward() {
    for (int64_t h = 0; h < heads(); ++h)
      heed::kernels::attention_backward(
          head(h), view(output_, h), log_sums(h), view(output_gradient_, h),
          {.queries = view(query_gradient_, h), .keys = view(key_gradient_, h), .values = view(value_gradient_, h)});
  }

 private:
  int64_t heads() const { return shape_.batch * shape_.heads; }

  void fill(std::vector<float>& array) {
    array.resize(static_cast<size_t>(heads() * shape_.tokens * shape_.depth));
    for (float& x : array) x = static_cast<float>(rng_.uniform(-1.7, 1.7));
  }

  heed::kernels::MatrixView<float> view(std::vector<float>& array, int64_t head) {
    return matrix(array.data() + head * shape_.tokens * shape_.depth, shape_.tokens, shape_.depth);
  }

  std::span<float> log_sums(int64_t head) {
    return std::span(log_sums_).subspan(static_cast<size_t>(head * shape_.tokens), static_cast<size_t>(shape_.tokens));
  }

  heed::kernels::AttentionHead<float> head(int64_t h) {
    return {.queries = view(queries_, h),
            .keys = view(keys_, h),
            .values = view(values_, h),
            .scale = 1.0f / std::sqrt(static_cast<float>(shape_.depth)),
            .ranges = ranges_};
  }

  Shape shape_;
  heed::Rng rng_{1};
  std::vector<float> queries_, keys_, values_, output_, output_gradient_;
  std::vector<float> query_gradient_, key_gradient_, value_gradient_, log_sums_;
  std::vector<heed::kernels::KeyRange> ranges_;
};

struct Seconds {
  double forward;
  double backward;
};

Seconds measure(const Shape& shape, bool causal) {
  Batch batch(shape, causal);
  // Long enough to see the best of several, short enough for the whole table to take seconds.
  const int repeats = std::clamp(static_cast<int>(2e11 / shape.forward_flop(causal) / 3.5), 3, 50);
  batch.forward();
  batch.backward();
  return {best_seconds(repeats, [&] { batch.forward(); }), best_seconds(repeats, [&] { batch.backward(); })};
}

// How much more two workers do on two cores than one alone, each with heads of its own.
double two_workers(const Shape& shape, double one_alone) {
  Batch first(shape, false), second(shape, false);
  const auto work = [](Batch& batch) {
    for (int i = 0; i < 8; ++i) {
      batch.forward();
      batch.backward();
    }
  };
  work(first);
  const double both = best_seconds(8, [&] {
    std::thread other([&] { work(second); });
    work(first);
    other.join();
  });
  return 2.0 * 8.0 * one_alone / both;
}

std::vector<Seconds> print_lengths(double peak, bool causal) {
  std::printf("\n%s attention, %% of peak\n%7s %6s %7s %6s %9s %9s\n", causal ? "Causal" : "Full", "tokens", "depth",
              "heads", "batch", "forward", "backward");
  std::vector<Seconds> seconds;
  for (const Shape& shape : kShapes) {
    seconds.push_back(measure(shape, causal));
    const double flop = shape.forward_flop(causal);
    std::printf("%7ld %6ld %7ld %6ld %8.1f%% %8.1f%%\n", long{shape.tokens}, long{shape.depth}, long{shape.heads},
                long{shape.batch}, 100.0 * flop / seconds.back().forward / peak,
                250.0 * flop / seconds.back().backward / peak);
    std::fflush(stdout);
  }
  return seconds;
}

void print_beside_torch(const std::string& script, bool causal, const std::vector<Seconds>& ours) {
  const std::string command = "/usr/bin/python3 '" + script + "'" + (causal ? " --causal" : "");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
  if (!output) return;
  std::printf("\n%s attention, forward + backward in milliseconds, beside PyTorch on one thread\n%7s %6s %9s %9s %7s\n",
              causal ? "Causal" : "Full", "tokens", "depth", "heed", "PyTorch", "ratio");
  std::array<char, 256> line;
  while (std::fgets(line.data(), static_cast<int>(line.size()), output.get()) != nullptr) {
    long batch = 0, heads = 0, tokens = 0, depth = 0;
    double forward = 0, forward_rate = 0, backward = 0;
    if (std::sscanf(line.data(), "%ld %ld %ld %ld %lf %lf %lf", &batch, &heads, &tokens, &depth, &forward, &forward_rate,
                    &backward) != 7)
      continue;
    for (size_t s = 0; s < kShapes.size(); ++s) {
      if (kShapes[s].tokens != tokens || kShapes[s].batch != batch) continue;
      const double mine = 1e3 * (ours[s].forward + ours[s].backward);
      std::printf("%7ld %6ld %9.2f %9.2f %6.1fx\n", tokens, depth, mine, forward + backward, (forward + backward) / mine);
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string script;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--torch") == 0) script = argv[i + 1];
    if (std::strcmp(argv[i], "--target") == 0 && std::strcmp(argv[i + 1], "avx2") == 0)
      hwy::SetSupportedTargetsForTest(HWY_AVX2);
  }
  const double peak = heed::bench::peak_flops();
  std::printf("peak of one thread: %.1f GFLOP/s\n", peak * 1e-9);
  const std::vector<Seconds> full = print_lengths(peak, false);
  const std::vector<Seconds> causal = print_lengths(peak, true);

  std::printf("\nTwo workers against one, forward + backward\n");
  for (const size_t s : {size_t{1}, size_t{2}, size_t{3}})
    std::printf("%7ld tokens %6.2fx\n", long{kShapes[s].tokens},
                two_workers(kShapes[s], full[s].forward + full[s].backward));

  if (!script.empty() && std::system("/usr/bin/python3 -c 'import torch' 2> /dev/null") == 0) {
    print_beside_torch(script, false, full);
    print_beside_torch(script, true, causal);
  }
}
