// Training steps on the ranks that mpirun has started:
//   mpirun -n 2 ranks_bench WIDTH THREADS SECONDS [TOKENS]
// measures, in turns: a step; a step in which ranks send each other no gradients and no weights,
// which computes wrong numbers in the same time; and the transfer of these alone. The share of the
// transfer that a step hides is 1 - (step - step without transfer) / transfer. Also the latency of
// a message, and the memory of each rank. SECONDS is how long to measure; with 0, one of each.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "heed/app/mpi/heartbeat.h"
#include "heed/app/mpi/mpi_communicator.h"
#include "heed/base/workers.h"
#include "heed/models/transformer.h"
#include "heed/training/flat_blocks.h"
#include "heed/training/learner.h"
#include "training_steps.h"

namespace heed::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Ranks that can be told not to send what is long.
class Switchboard : public Communicator {
 public:
  explicit Switchboard(Communicator& ranks) : ranks_(ranks) {}

  bool sends = true;

  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  int cores() const override { return ranks_.cores(); }
  using Communicator::exchange;
  void exchange(std::span<const OutgoingMessage> out, std::span<const IncomingMessage> in,
                Waiting waiting) override {
    if (sends) ranks_.exchange(out, in, waiting);
  }
  void broadcast(int root, std::span<std::byte> bytes) override { ranks_.broadcast(root, bytes); }
  // The squares of the norm are short, stripes of weights are long.
  void gather_all(std::span<std::byte> bytes, std::span<const size_t> ends) override {
    if (sends || bytes.size() <= longest_short) ranks_.gather_all(bytes, ends);
  }
  void send_letter(int to, LetterBox box, std::string text) override {
    ranks_.send_letter(to, box, std::move(text));
  }
  std::optional<Letter> next_letter(LetterBox box) override { return ranks_.next_letter(box); }

 private:
  static constexpr size_t longest_short = size_t{64} << 10;
  Communicator& ranks_;
};

// What a step moves, with nothing beside it: parts of the gradient to their owners, then weights.
class Transfer {
 public:
  Transfer(int64_t numbers, Communicator& ranks)
      : ranks_(ranks),
        ownership_(numbers, ranks),
        whole_(Tensor::zeros({numbers})),
        received_(Tensor::zeros({ranks.size(), ownership_.owned()})) {}

  void run() {
    std::vector<OutgoingMessage> out;
    std::vector<IncomingMessage> in;
    for (int64_t stripe = 0; stripe < ownership_.stripes(); ++stripe)
      for (int rank = 0; rank < ranks_.size(); ++rank) {
        if (rank == ranks_.rank()) continue;
        const Range theirs = ownership_.part(stripe, rank), mine = ownership_.stored(stripe);
        if (theirs.size() > 0)
          out.push_back({rank, std::as_bytes(part_of(whole_.span<float>(), theirs))});
        if (mine.size() > 0)
          in.push_back({rank, std::as_writable_bytes(part_of(received_.row<float>(rank), mine))});
      }
    ranks_.exchange(out, in);
    ownership_.gather(ranks_, whole_.span<float>());
  }

 private:
  Communicator& ranks_;
  Ownership ownership_;
  Tensor whole_, received_;
};

// Seconds of the slowest rank, from a common start.
template <typename Run>
double seconds_of(Communicator& ranks, Run run) {
  holds_everywhere(ranks, true);
  const Clock::time_point begin = Clock::now();
  run();
  std::vector<double> seconds(static_cast<size_t>(ranks.size()));
  seconds[static_cast<size_t>(ranks.rank())] =
      std::chrono::duration<double>(Clock::now() - begin).count();
  gather_shares<double>(ranks, seconds);
  return *std::ranges::max_element(seconds);
}

double latency_of(Communicator& ranks) {
  constexpr int rounds = 500;
  std::byte byte{};
  const std::span<std::byte> bytes(&byte, 1);
  return seconds_of(ranks,
                    [&] {
                      for (int i = 0; i < 2 * rounds && ranks.rank() < 2; ++i) {
                        const bool sends = i % 2 == ranks.rank();
                        const OutgoingMessage out = {1 - ranks.rank(), bytes};
                        const IncomingMessage in = {1 - ranks.rank(), bytes};
                        ranks.exchange({&out, sends ? 1U : 0U}, {&in, sends ? 0U : 1U});
                      }
                    }) /
         (2 * rounds);
}

// Bytes; the most that this process has had.
double resident_memory() {
  std::ifstream status("/proc/self/status");
  double kilobytes = 0;
  for (std::string word; status >> word;)
    if (word == "VmHWM:") status >> kilobytes;
  return kilobytes * 1024;
}

class Times {
 public:
  void add(double seconds) { seconds_.push_back(seconds); }
  double best() const { return *std::ranges::min_element(seconds_); }
  double median() const {
    std::vector<double> sorted = seconds_;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  void print(const char* name) const {
    fmt::print("  {:22}{:>9.4f} s best {:>9.4f} s median of {}\n", name, best(), median(),
               seconds_.size());
  }

 private:
  std::vector<double> seconds_;
};

// The most, of all ranks, in megabytes.
double most_megabytes(Communicator& ranks, double bytes) {
  std::vector<double> all(static_cast<size_t>(ranks.size()));
  all[static_cast<size_t>(ranks.rank())] = bytes;
  gather_shares<double>(ranks, all);
  return *std::ranges::max_element(all) / 1e6;
}

void print_memory(Communicator& ranks, const LearnerState& state) {
  const double moments =
      most_megabytes(ranks, static_cast<double>(state.first_moment.bytes() +
                                                state.second_moment.bytes() + state.ema.bytes()));
  const double resident = most_megabytes(ranks, resident_memory());
  if (ranks.is_first())
    fmt::print("  {:22}{:>9.1f} MB a rank, resident {:.0f} MB\n", "moments and EMA", moments,
               resident);
}

struct Settings {
  ModelSize size;
  int threads;
  double seconds;
  int64_t tokens;
};

void measure(Communicator& mpi, const Settings& settings) {
  Switchboard ranks(mpi);
  Rng rng(1);
  Transformer model(config_of(settings.size), rng);
  Workers workers(settings.threads);
  const StepShape shape = {.vocabulary = settings.size.vocabulary, .tokens = settings.tokens};
  Learner learner(model, {.ema = 0.999}, shape.shards, workers, ranks);
  std::vector<std::vector<std::vector<Batch>>> steps;
  for (int i = 0; i < 6; ++i) steps.push_back({random_step(shape, rng)});
  const bool several = ranks.size() > 1;
  learner.learn(steps[0]);
  print_memory(ranks, learner.state());
  learner.learn(steps[0]);  // so that weights are on their way, as before every other step
  Transfer transfer(learner.parameters().size(), ranks);
  if (several) transfer.run();
  Times step, unsent, transfers;
  const Clock::time_point begin = Clock::now();
  const auto goes_on = [&] {
    return Clock::now() - begin < std::chrono::duration<double>(settings.seconds);
  };
  // Both kinds of steps with the same sentences.
  for (size_t i = 0; i == 0 || of_first(mpi, goes_on()); ++i) {
    const auto learn = [&] { learner.learn(steps[i % steps.size()]); };
    step.add(seconds_of(mpi, learn));
    if (!several) continue;
    ranks.sends = false;
    unsent.add(seconds_of(mpi, learn));
    ranks.sends = true;
    transfers.add(seconds_of(mpi, [&] { transfer.run(); }));
  }
  const double latency = several ? latency_of(mpi) : 0;
  if (!ranks.is_first()) return;
  step.print("step");
  if (!several) return;
  unsent.print("step without transfer");
  transfers.print("transfer alone");
  const double sent =
      8.0 * static_cast<double>(learner.parameters().size()) * (ranks.size() - 1) / ranks.size();
  fmt::print("  {:22}{:>9.1f} % (by medians {:.1f} %)\n", "hidden",
             100 * (1 - (step.best() - unsent.best()) / transfers.best()),
             100 * (1 - (step.median() - unsent.median()) / transfers.median()));
  fmt::print("  {:22}{:>9.1f} MB/s each way\n", "transfer", sent / transfers.best() / 1e6);
  fmt::print("  {:22}{:>9.1f} us\n", "latency", 1e6 * latency);
}

const ModelSize* size_of(int64_t width) {
  const auto* const found = std::ranges::find(model_sizes, width, &ModelSize::width);
  return found == std::end(model_sizes) ? nullptr : found;
}

int run(int count, char** arguments) {
  const ModelSize* size = count > 3 ? size_of(std::atoi(arguments[1])) : nullptr;
  const int threads = count > 3 ? std::atoi(arguments[2]) : 0;
  if (size == nullptr || threads < 1) {
    fmt::print(stderr, "usage: mpirun -n RANKS ranks_bench 128|256|512 THREADS SECONDS [TOKENS]\n");
    return 2;
  }
  const MpiSession session;
  MpiCommunicator ranks;
  const Heartbeat heartbeat(ranks, [](const std::string& sentence) {
    fmt::print(stderr, "{}\n", sentence);
    ::_exit(1);
  });
  const int64_t tokens = count > 4 ? std::atoi(arguments[4]) : StepShape().tokens;
  if (ranks.is_first())
    fmt::print("{}, {} tokens a step, {} rank{} of {} thread{}\n", size->name, tokens, ranks.size(),
               ranks.size() == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
  measure(ranks, {*size, threads, std::atof(arguments[3]), tokens});
  return 0;
}

}  // namespace
}  // namespace heed::bench

int main(int count, char** arguments) { return heed::bench::run(count, arguments); }
