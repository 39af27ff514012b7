// Steps of decoding with random weights, one thread: as a share of the machine's peak, counting two
// floating-point operations for each weight that a token is multiplied with, and how much faster
// weights of 8 bits are. The time of a step includes everything but the search: attention, norms,
// caches, the scores of all words. First with the best instruction set of this CPU, then with AVX2,
// which most machines have.
#include <fmt/core.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "heed/base/random.h"
#include "heed/models/transformer.h"
#include "heed/runs/machine_peak.h"

namespace heed::bench {
namespace {

struct Size {
  const char* name;
  int64_t layers, width, ffn, heads, vocabulary;
};

constexpr Size sizes[] = {{"4+4 layers, width 128, vocabulary 10,000", 4, 128, 256, 4, 10000},
                          {"6+6 layers, width 512, vocabulary 32,000", 6, 512, 2048, 8, 32000}};

constexpr int64_t source_length = 20, steps = 16;

TransformerConfig config_of(const Size& size) {
  TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = size.vocabulary;
  config.encoder_layers = config.decoder_layers = size.layers;
  config.width = size.width;
  config.ffn = size.ffn;
  config.heads = size.heads;
  return config;
}

// Seconds of one step, at best, with a beam that changes places like a real one.
double seconds_of_step(const Generator& model, int64_t sentences, int64_t beam, int repetitions) {
  std::vector<std::vector<int32_t>> source(
      static_cast<size_t>(sentences), std::vector<int32_t>(static_cast<size_t>(source_length), 5));
  std::vector<int64_t> grow, shuffle;
  for (int64_t s = 0; s < sentences; ++s)
    for (int64_t i = 0; i < beam; ++i) {
      grow.push_back(s);
      shuffle.push_back(s * beam + std::max<int64_t>(0, i - 1));
    }
  double best = 1e9;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto decoder = model.make_decoder();
    decoder->add(join_sentences(source));
    decoder->step(std::vector<int32_t>(static_cast<size_t>(sentences), 2));
    decoder->select(grow);
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t step = 0; step < steps; ++step) {
      decoder->step(std::vector<int32_t>(grow.size(), 3));
      decoder->select(shuffle);
    }
    const double time =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::min(best, time / static_cast<double>(steps));
  }
  return best;
}

void show(const char* what, double flops, double peak, double float_time, double int_time) {
  fmt::print(
      "    {:24}{:>8.1f} % of peak{:>10.3f} ms{:>10.3f} ms with 8 bits:{:>6.2f} times as fast\n",
      what, 100 * flops / float_time / peak, 1e3 * float_time, 1e3 * int_time,
      float_time / int_time);
  std::fflush(stdout);
}

// Seconds until sentences have joined, at best: the encoder, and the keys and values that the
// decoder's layers make of its result.
double seconds_of_joining(const Generator& model, int64_t sentences) {
  const std::vector<int32_t> sentence(static_cast<size_t>(source_length), 5);
  const TokenBatch source = join_sentences(std::vector(static_cast<size_t>(sentences), sentence));
  const auto decoder = model.make_decoder();
  double best = 1e9;
  for (int repetition = 0; repetition < 12; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    decoder->add(source);
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    decoder->select({});
  }
  return best;
}

void run(const Size& size, double peak) {
  constexpr int64_t joining = 32;
  Rng rng(1);
  const Transformer model(config_of(size), rng);
  const auto whole = model.prepare(Precision::float32), small = model.prepare(Precision::int8);
  fmt::print("  {}\n", size.name);
  for (const auto& [what, sentences, beam] :
       {std::tuple{"40 sentences, beam 4", int64_t{40}, int64_t{4}},
        {"one sentence, beam 4", 1, 4},
        {"one sentence, greedy", 1, 1}}) {
    const int repetitions = sentences > 1 ? 3 : 10;
    const auto flops = static_cast<double>(2 * sentences * beam * model.target_multiplications());
    show(what, flops, peak, seconds_of_step(*whole, sentences, beam, repetitions),
         seconds_of_step(*small, sentences, beam, repetitions));
  }
  const auto flops =
      static_cast<double>(2 * joining * source_length * model.source_multiplications());
  show("32 sentences join", flops, peak, seconds_of_joining(*whole, joining),
       seconds_of_joining(*small, joining));
}

}  // namespace
}  // namespace heed::bench

int main() {
  const int64_t all = hwy::SupportedTargets();
  for (const int64_t targets : {all, int64_t{HWY_AVX2}}) {
    if ((targets & all) == 0) continue;
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const double peak = heed::peak_flops();
    fmt::print("Steps of decoding on one thread{}, FMA peak {:.0f} GFLOP/s\n",
               targets == all ? "" : " with AVX2", peak / 1e9);
    for (const heed::bench::Size& size : heed::bench::sizes) heed::bench::run(size, peak);
    fmt::print("\n");
  }
}
