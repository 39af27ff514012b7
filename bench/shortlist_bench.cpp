// What a shortlist saves: single sentences with random weights and a vocabulary of 32,000, one
// thread. The time is that of the whole translation: the encoder, the candidates and their rows of
// the output layer, every step and the search. Sources have 20 tokens, and so have translations.
// A shortlist has 100 candidates for each source token and 200 for all: none of them twice, which
// is the worst case.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/shortlist.h"
#include "heed/decoding/session.h"
#include "heed/models/transformer.h"

namespace heed::bench {
namespace {

struct Size {
  const char* name;
  int64_t encoder_layers, decoder_layers, width, ffn, heads;
};

constexpr Size sizes[] = {{"6+2 layers, width 256", 6, 2, 256, 1536, 8},
                          {"6+6 layers, width 512", 6, 6, 512, 2048, 8}};

constexpr int64_t vocabulary = 32000, length = 20, best = 100, frequent = 200;
constexpr int sentences = 20;

int32_t random_id(Rng& rng) { return static_cast<int32_t>(1 + rng.below(vocabulary - 2)); }

Shortlist random_shortlist(Rng& rng) {
  ShortlistLists lists;
  for (int64_t i = 0; i < frequent; ++i) lists.frequent.push_back(random_id(rng));
  for (int64_t i = 0; i < vocabulary * best; ++i) lists.targets.push_back(random_id(rng));
  for (int64_t i = 0; i <= vocabulary; ++i) lists.offsets.push_back(i * best);
  return Shortlist(std::move(lists), vocabulary, vocabulary);
}

std::vector<int32_t> random_sentence(Rng& rng) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i + 1 < length; ++i) ids.push_back(random_id(rng));
  ids.push_back(0);
  return ids;
}

// Seconds of a sentence, at best of several.
double seconds_of_sentence(const Generator& model, const Shortlist* shortlist, int beam) {
  SearchOptions options;
  options.beam = beam;
  options.min_length = length;
  options.max_length = length;
  const auto shared = std::make_shared<const SearchOptions>(options);
  Session session(model, {.start = vocabulary - 1, .end = 0});
  Rng rng(3);
  double fastest = 1e9;
  for (int sentence = 0; sentence < sentences; ++sentence) {
    Request request{.source = random_sentence(rng), .options = shared};
    const auto begin = std::chrono::steady_clock::now();
    if (shortlist != nullptr) request.candidates = shortlist->candidates(request.source);
    session.add(std::move(request));
    while (!session.empty()) session.step();
    const double time =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    session.take_finished();
    fastest = std::min(fastest, time);
  }
  return fastest;
}

void run(const Size& size, const Shortlist& shortlist) {
  TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = vocabulary;
  config.encoder_layers = size.encoder_layers;
  config.decoder_layers = size.decoder_layers;
  config.width = size.width;
  config.ffn = size.ffn;
  config.heads = size.heads;
  Rng rng(1);
  const Transformer model(config, rng);
  fmt::print("  {}\n", size.name);
  for (const auto& [bits, precision] :
       {std::pair{32, Precision::float32}, std::pair{8, Precision::int8}}) {
    const auto prepared = model.prepare(precision);
    for (const int beam : {1, 4}) {
      const double all = seconds_of_sentence(*prepared, nullptr, beam);
      const double some = seconds_of_sentence(*prepared, &shortlist, beam);
      fmt::print(
          "    {:>2} bits, beam {}{:>10.2f} ms{:>10.2f} ms with a shortlist:{:>6.2f} times\n", bits,
          beam, 1e3 * all, 1e3 * some, all / some);
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace heed::bench

int main() {
  heed::Rng rng(2);
  const heed::Shortlist shortlist = heed::bench::random_shortlist(rng);
  fmt::print("One sentence of {} tokens, vocabulary {}\n", heed::bench::length,
             heed::bench::vocabulary);
  for (const heed::bench::Size& size : heed::bench::sizes) heed::bench::run(size, shortlist);
}
