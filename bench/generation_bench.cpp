// How fast `heed generate` continues a text with a real language model: greedy, one text, one
// thread. Every token reads every weight once, so that the speed of reading memory is what allows
// no more; it is measured beside, for a buffer of the model's size.
//
//   generation_bench MODEL
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "bandwidth.h"
#include "heed/base/error.h"
#include "heed/decoding/text_generator.h"
#include "heed/folders/model_folder.h"

namespace heed::bench {
namespace {

constexpr const char* prompt = "Once upon a time";
constexpr int rounds = 10;

double tokens_per_second(const TextGenerator& generator) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Continuation> found = generator.generate({.prompt = prompt});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<double>(found.front().ids.size()) / elapsed.count();
}

struct Measured {
  double tokens = 0, bandwidth = 0;  // per second
};

// In turns, since the speed of a busy machine changes by the second.
Measured measure(const TextGenerator& generator, size_t bytes) {
  Measured best;
  for (int round = 0; round < rounds; ++round) {
    best.bandwidth = std::max(best.bandwidth, read_bandwidth(bytes));
    best.tokens = std::max(best.tokens, tokens_per_second(generator));
  }
  return best;
}

void run(const std::filesystem::path& folder) {
  int64_t weights = 0;
  load_model_folder(folder).model->visit_parameters(
      {}, [&](const std::string&, Tensor& value) { weights += value.elements(); });
  fmt::print("Continuing \"{}\" with {} of {} weights, greedy, one thread\n", prompt,
             folder.filename().string(), weights);
  double whole = 0;
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    const bool integers = precision == Precision::int8;
    const auto bytes = static_cast<size_t>(weights) * (integers ? 1 : sizeof(float));
    const TextGenerator generator = TextGenerator::load(folder, {.precision = precision});
    const Measured found = measure(generator, bytes);
    if (!integers) whole = found.tokens;
    fmt::print("    {:8}{:>8.0f} tokens/s{:>8.1f} GB/s of {:.1f}:{:>6.1f} %",
               integers ? "int8" : "float32", found.tokens,
               found.tokens * static_cast<double>(bytes) / 1e9, found.bandwidth / 1e9,
               100 * found.tokens * static_cast<double>(bytes) / found.bandwidth);
    if (integers) fmt::print("{:>8.2f} times as fast as float32", found.tokens / whole);
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace heed::bench

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: generation_bench MODEL\n");
    return 2;
  }
  try {
    heed::bench::run(arguments[1]);
  } catch (const heed::Error& error) {
    fmt::print(stderr, "generation_bench: {}\n", error.what());
    return 1;
  }
}
