// Trains, translates and evaluates in turns for SOAK_SECONDS (an hour): inside this process, and as
// separate processes. Each round must give what the first gave, and after a while no round may need
// more memory, descriptors or threads than those before.
#include <fmt/format.h>

#include "../app/train_process.h"
#include "../training/tiny_training.h"
#include "endurance.h"
#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "heed/metrics/make_metric.h"
#include "sample_text.h"

namespace heed {
namespace {

using namespace heed::testing;

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

int soak() {
  const LibraryRounds library;
  const ProgramRounds program;
  Checks checks;
  return endure(
      checks,
      [&](int round) {
        library.run(checks);
        if (round % 10 == 0) program.run(checks);
      },
      [] { return footprint(); });
}

}  // namespace
}  // namespace heed

int main() { return heed::soak(); }
