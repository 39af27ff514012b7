// How fast `heed embed` turns texts into vectors with a real BERT, and PyTorch beside it, in turns:
//   embedding_bench MODEL TEXT [bench/torch_embed.py]
// heed's time is that of texts to vectors, PyTorch's that of token ids to vectors. A share of the
// peak counts two floating-point operations for each weight that a token is multiplied with.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "heed/base/error.h"
#include "heed/decoding/sentence_vectors.h"
#include "heed/folders/bert_folder.h"
#include "peak.h"

namespace heed::bench {
namespace {

constexpr int rounds = 3;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream input(file);
  require(input.good(), "{}: cannot be read", file.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

// What torch_embed.py reads: the ids of each text, and the vector that it compares its own with.
void write_ids(const std::vector<SentenceVector>& texts, const std::filesystem::path& file) {
  std::ofstream output(file);
  for (const SentenceVector& text : texts)
    output << fmt::format("{{\"ids\":[{}],\"embedding\":[{}]}}\n", fmt::join(text.ids, ","),
                          fmt::join(text.vector, ","));
}

struct Raced {
  double seconds = 1e30;
  double furthest = 0;  // number of a vector from heed's
};

Raced run_torch(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"),
                                                               ::pclose);
  Raced raced;
  require(output && std::fscanf(output.get(), "%lf %lf", &raced.seconds, &raced.furthest) == 2,
          "{}: printed no figures", command);
  return raced;
}

struct Race {
  std::filesystem::path model, ids;
  std::string script;  // none: heed alone
};

// OpenBLAS has threads of its own, of whose number PyTorch knows nothing.
std::string torch_command(const Race& race, int threads) {
  return fmt::format("OPENBLAS_NUM_THREADS={} /usr/bin/python3 '{}' --threads {} '{}' < '{}'",
                     threads, race.script, threads, race.model.string(), race.ids.string());
}

void run(const SentenceEncoder& encoder, const std::vector<std::string>& texts, double operations,
         int threads, const Race& race) {
  Workers workers(threads);
  double own = 1e30, peak = 0;
  Raced torch;
  for (int round = 0; round < rounds; ++round) {
    peak = std::max(peak, peak_flops());
    own = std::min(own, best_seconds(3, [&] { encoder.encode(texts, workers); }));
    if (race.script.empty()) continue;
    const Raced again = run_torch(torch_command(race, threads));
    torch.seconds = std::min(torch.seconds, again.seconds);
    torch.furthest = std::max(torch.furthest, again.furthest);
  }
  fmt::print("    {} thread{}:{:>8.3f} s,{:>6.1f} % of peak", threads, threads == 1 ? " " : "s",
             own, 100 * operations / own / peak / threads);
  if (!race.script.empty())
    fmt::print("; PyTorch{:>8.3f} s:{:>6.2f} times as fast; numbers at most {:.1e} apart",
               torch.seconds, torch.seconds / own, torch.furthest);
  fmt::print("\n");
  std::fflush(stdout);
}

void run(const std::filesystem::path& model, const std::filesystem::path& text,
         const std::string& script) {
  const BertFolder folder = load_bert_folder(model);
  const std::vector<std::string> texts = lines_of(text);
  const SentenceEncoder encoder(*folder.model, folder.pieces);
  Workers workers(1);
  const std::vector<SentenceVector> vectors = encoder.encode(texts, workers);
  double tokens = 0;
  for (const SentenceVector& each : vectors) tokens += static_cast<double>(each.ids.size());
  const BertConfig& config = folder.config;
  const auto multiplications =
      static_cast<double>(config.layers * config.width * (4 * config.width + 2 * config.ffn));
  fmt::print("{} texts of {:.0f} tokens through {}\n", texts.size(), tokens,
             model.filename().string());
  const Race race = {model,
                     std::filesystem::temp_directory_path() /
                         fmt::format("heed-embedding-bench-{}.jsonl", ::getpid()),
                     script};
  if (!script.empty()) write_ids(vectors, race.ids);
  for (const int threads : {1, 2}) run(encoder, texts, 2 * tokens * multiplications, threads, race);
  std::filesystem::remove(race.ids);
}

}  // namespace
}  // namespace heed::bench

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    fmt::print(stderr, "usage: embedding_bench MODEL TEXT [SCRIPT]\n");
    return 2;
  }
  try {
    heed::bench::run(arguments[1], arguments[2], count == 4 ? arguments[3] : "");
  } catch (const heed::Error& error) {
    fmt::print(stderr, "embedding_bench: {}\n", error.what());
    return 1;
  }
}
