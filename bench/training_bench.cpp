// Training steps of Transformers and of language models (a decoder alone) of three sizes as a share
// of the machine's peak: 6 floating-point operations for each weight that a token is multiplied
// with, over what all cores could do. The time of a step includes everything: dropout, masks,
// attention, the sums over the shards and the optimiser. The sentences are random, of the lengths
// of short descriptions, and the texts are windows of 256 tokens. The clock of a busy machine
// changes by the second, so the peak is measured before and after every few steps, and their share
// is of the higher of both.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/workers.h"
#include "heed/models/language_model.h"
#include "heed/models/transformer.h"
#include "heed/runs/machine_peak.h"
#include "heed/training/learner.h"
#include "peak.h"
#include "training_steps.h"

namespace heed::bench {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Speed {
  double median_share_of_peak, best_share_of_peak;
  double target_tokens_per_second;
  size_t memory;
};

using Steps = std::vector<std::vector<std::vector<Batch>>>;  // of turns, of shards

Speed measure(Model& model, const Steps& steps, Workers& workers, double seconds) {
  Learner learner(model, {.ema = 0.999}, StepShape().shards, workers);
  learner.learn(steps[0]);
  std::vector<double> shares;
  double rate = 0;
  const auto start = std::chrono::steady_clock::now();
  PeakAround peak_around([&] { return heed::peak_flops(workers); });
  for (size_t i = 0; shares.size() < 3 || seconds_since(start) < seconds;) {
    const auto begin = std::chrono::steady_clock::now();
    double flops = 0, tokens = 0, time = 0;
    do {
      const StepReport report = learner.learn(steps[i++ % steps.size()]);
      flops += 6.0 * (static_cast<double>(model.source_multiplications() * report.source_tokens) +
                      static_cast<double>(model.target_multiplications() * report.target_tokens));
      tokens += static_cast<double>(report.target_tokens);
      time = seconds_since(begin);
    } while (time < 0.4);
    shares.push_back(flops / time / peak_around.last());
    rate = std::max(rate, tokens / time);
  }
  std::sort(shares.begin(), shares.end());
  return {shares[shares.size() / 2], shares.back(), rate, learner.memory()};
}

Steps six(const std::function<std::vector<Batch>()>& step) {
  Steps steps;
  for (int i = 0; i < 6; ++i) steps.push_back({step()});
  return steps;
}

Speed measure_transformer(const ModelSize& size, Workers& workers, double seconds) {
  Rng rng(1);
  Transformer model(config_of(size), rng);
  const StepShape shape = {.vocabulary = size.vocabulary};
  return measure(model, six([&] { return random_step(shape, rng); }), workers, seconds);
}

Speed measure_language_model(const ModelSize& size, Workers& workers, double seconds) {
  constexpr int64_t context_length = 256;
  Rng rng(1);
  LanguageModel model(language_config_of(size), rng);
  const StepShape shape = {.vocabulary = size.vocabulary};
  return measure(model, six([&] { return random_text_step(shape, context_length, rng); }), workers,
                 seconds);
}

void print(const char* kind, const Speed& speed) {
  fmt::print("  {:34}{:>8.1f}{:>8.1f}{:>12.0f} target tokens/s{:>8} MB\n", kind,
             100 * speed.median_share_of_peak, 100 * speed.best_share_of_peak,
             speed.target_tokens_per_second, speed.memory >> 20);
  std::fflush(stdout);
}

void run(int threads, double seconds, int64_t width) {
  Workers workers(threads);
  fmt::print("Training on {} worker{}, % of the FMA peak (about {:.0f} GFLOP/s): median and best\n",
             threads, threads == 1 ? "" : "s", heed::peak_flops(workers) / 1e9);
  for (const ModelSize& size : model_sizes) {
    if (width != 0 && size.width != width) continue;
    print(size.name, measure_transformer(size, workers, seconds));
    print("  the same as a decoder alone", measure_language_model(size, workers, seconds));
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace heed::bench

// training_bench [seconds per size [workers [width]]]
int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 6;
  const int workers = count > 2 ? std::atoi(arguments[2]) : 0;
  const int64_t width = count > 3 ? std::atoi(arguments[3]) : 0;
  if (workers != 2) heed::bench::run(1, seconds, width);
  if (workers != 1 && std::thread::hardware_concurrency() > 1) heed::bench::run(2, seconds, width);
}
