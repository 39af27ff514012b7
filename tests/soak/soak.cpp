// Trains, translates and evaluates in turns for SOAK_SECONDS (an hour): inside this process, and as
// separate processes. Each round must give what the first gave, and after a while no round may need
// more memory, descriptors or threads than those before.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>

#include "../app/train_process.h"
#include "../training/tiny_training.h"
#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "heed/metrics/make_metric.h"
#include "sample_text.h"

namespace heed {
namespace {

using namespace heed::testing;

class Checks {
 public:
  void check(bool holds, const std::string& what) {
    ++(holds ? passed_ : failed_);
    if (!holds && failed_ <= most_told) std::cout << "FAILED: " << what << std::endl;
  }
  // Each round must give what the first gave.
  void same(const std::string& what, const std::string& found) {
    const auto [first, is_new] = first_.emplace(what, found);
    check(!found.empty() && first->second == found, what + " differs from the first round's");
  }
  int64_t passed() const { return passed_; }
  int64_t failed() const { return failed_; }

 private:
  static constexpr int64_t most_told = 20;

  std::map<std::string, std::string> first_;
  int64_t passed_ = 0, failed_ = 0;
};

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

// Through the library.
class LibraryRounds {
 public:
  void run(Checks& checks) const {
    train(checks);
    translate_and_evaluate(checks, Precision::float32, "float32");
    translate_and_evaluate(checks, Precision::int8, "int8");
  }

 private:
  void train(Checks& checks) const {
    std::filesystem::remove_all(training_.path("model"));
    TrainerConfig config;
    config.learner.schedule = {.kind = ScheduleKind::constant, .learning_rate = 0.01, .warm_up = 0};
    config.learner.ema = 0.5;
    config.steps = 40;
    config.validate_every = 10;
    config.save_every = 5;
    config.average_last = 2;
    training_.run("model", config);
    save_model_description(training_.path("model"), tiny_model_config(), small_vocabulary(),
                           small_vocabulary());
    checks.same("weights", training_.weights("model"));
  }

  void translate_and_evaluate(Checks& checks, Precision precision, const std::string& name) const {
    const Translator translator =
        Translator::load(training_.path("model"), {.threads = 2, .precision = precision});
    const std::vector<std::string> translations =
        translator.translate(sentences_, {.beam = 3, .max_length = 20});
    checks.same(name + " translations", joined(translations));
    for (const MetricKind kind : every_metric)
      checks.same(fmt::format("{} {}", name, name_of(kind)),
                  fmt::format("{}", corpus_score(*make_metric(kind), translations, sentences_)));
  }

  TinyTraining training_;
  std::vector<std::string> sentences_ = made_up_sentences(100);
};

// Through the program.
class ProgramRounds {
 public:
  void run(Checks& checks) const {
    std::filesystem::remove_all(training_.path("model"));
    checks.check(training_.run(training_.path("model")) == 0, "heed train: " + training_.output());
    checks.same("the program's weights", SmallTraining::weights(training_.path("model")));
    execute(checks, {"translate", "--model", training_.path("model"), "--max-length=30"},
            {.in = training_.path("valid.written"), .out = training_.path("translations")});
    execute(checks,
            {"evaluate", "--hypothesis", training_.path("translations"), "--reference",
             training_.path("valid.iso")},
            {.out = training_.path("scores")});
    checks.same("the program's translations", text("translations"));
    checks.same("the program's scores", text("scores"));
  }

 private:
  static void execute(Checks& checks, const std::vector<std::string>& arguments,
                      const ProcessFiles& files) {
    checks.check(ProgramProcess(arguments, files).wait() == 0, "heed " + arguments.front());
  }
  std::string text(const std::string& name) const {
    std::ifstream file(training_.path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  SmallTraining training_;
};

// What the system says about this process.
struct Footprint {
  int64_t bytes = 0, descriptors = 0, threads = 0;
};

int64_t entries_in(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

Footprint footprint() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {resident * ::sysconf(_SC_PAGESIZE), entries_in("/proc/self/fd"),
          entries_in("/proc/self/task")};
}

double seconds_wanted() {
  const char* wanted = std::getenv("SOAK_SECONDS");
  return wanted != nullptr ? std::atof(wanted) : 3600;
}

// The first quarter of the time is for warming up: the memory that the allocator keeps between
// rounds settles only after dozens of them.
int soak() {
  const LibraryRounds library;
  const ProgramRounds program;
  Checks checks;
  Footprint warm, last;
  const double wanted = seconds_wanted(), warming = wanted / 4;
  const auto start = std::chrono::steady_clock::now();
  int rounds = 0, warm_rounds = 0;
  for (double seconds = 0; seconds < wanted || rounds < 2 * warm_rounds + 2; ++rounds) {
    library.run(checks);
    if (rounds % 10 == 0) program.run(checks);
    last = footprint();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds < warming || rounds < 3) {
      warm = {std::max(warm.bytes, last.bytes), last.descriptors, last.threads};
      warm_rounds = rounds + 1;
      continue;
    }
    checks.check(last.bytes <= warm.bytes + warm.bytes / 100,
                 fmt::format("round {}: {} bytes of memory, {} when it was warm", rounds,
                             last.bytes, warm.bytes));
    checks.check(last.descriptors == warm.descriptors,
                 fmt::format("round {}: {} descriptors, {} when it was warm", rounds,
                             last.descriptors, warm.descriptors));
    checks.check(last.threads == warm.threads,
                 fmt::format("round {}: {} threads, {} when it was warm", rounds, last.threads,
                             warm.threads));
  }
  std::cout << fmt::format(
      "{} rounds, {} of them to warm up: {} kB of memory when warm, {} kB at the end, {} "
      "descriptors, "
      "{} threads\n{} passed, {} failed\n",
      rounds, warm_rounds, warm.bytes >> 10, last.bytes >> 10, last.descriptors, last.threads,
      checks.passed(), checks.failed());
  return checks.failed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace heed

int main() { return heed::soak(); }
