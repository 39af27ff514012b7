// `heed train` as a separate process on a small corpus of dates, for any task: it can be killed,
// and run out of disk space.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "comparable_files.h"
#include "heed/base/random.h"
#include "heed/data/dates.h"
#include "program_process.h"
#include "temporary_folder.h"

namespace heed::testing {

// The output of a run goes to a file.
class TrainProcess : public ProgramProcess {
 public:
  TrainProcess(const std::vector<std::string>& arguments, const std::string& output,
               const std::map<std::string, std::string>& environment = {})
      : ProgramProcess(arguments, {.err = output}, environment) {}
};

using Flags = std::map<std::string, std::string>;

// The corpus, and runs that take about a second each.
class SmallTraining {
 public:
  explicit SmallTraining(std::string task = "translate") : task_(std::move(task)) {
    Rng rng(1);
    write(rng, "train", 300);
    write(rng, "valid", 20);
  }

  // With every kind of state that could be lost: dropout, subword sampling, an EMA, snapshots, a
  // checkpoint at every step, attention that is kept. `more` adds flags or replaces their values.
  std::vector<std::string> arguments(const std::string& model, const Flags& more = {}) const {
    Flags flags = {{"--width", "16"},
                   {"--heads", "2"},
                   {"--ffn", "32"},
                   {"--warm-up", "10"},
                   {"--learning-rate", "0.01"},
                   {"--ema", "0.9"},
                   {"--batch", "512"},
                   {"--validate-every", "7"},
                   {"--average-last", "4"},
                   {"--save-every", "1"},
                   {"--steps", "30"},
                   {"--valid-lines", "5"},
                   {"--model", model},
                   {"--task", task_}};
    for (const auto& [flag, value] : flags_of_task()) flags[flag] = value;
    for (const auto& [flag, value] : more) flags[flag] = value;
    std::vector<std::string> all = {"train", "--train"};
    for (const std::string& end : ends_of_files()) all.push_back(path("train." + end));
    all.push_back("--valid");
    for (const std::string& end : ends_of_files()) all.push_back(path("valid." + end));
    for (const auto& [flag, value] : flags) all.insert(all.end(), {flag, value});
    return all;
  }

  // Runs to the end and returns the exit code.
  int run(const std::string& model, const Flags& more = {},
          const std::map<std::string, std::string>& environment = {}) const {
    return TrainProcess(arguments(model, more), path("output"), environment).wait();
  }
  std::string output() const { return files_.text("output"); }

  // Kills a run after this time, or as soon as it writes a file after that. Returns the exit code:
  // that of a killed process, unless it ended before.
  int run_for(double seconds, bool until_it_writes, const std::string& model) const {
    TrainProcess process(arguments(model), path("output"));
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    while (until_it_writes && process.runs() && partial_files(model) == 0) {
    }
    return process.kill();
  }

  // Files that are being written, or were when their writer was killed.
  static int partial_files(const std::string& model) { return partial_files_below(model); }

  std::string path(const std::string& name) const { return files_.path(name); }
  static std::string weights(const std::string& model) {
    std::ifstream file(model + "/model.safetensors", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  Flags flags_of_task() const {
    if (task_ == "translate")
      return {{"--encoder-layers", "1"},
              {"--decoder-layers", "1"},
              {"--sampling", "0.2"},
              {"--max-length", "128"},
              {"--watch", "le jeudi 3 mai 1979"}};
    return {{"--layers", "1"}, {"--context-length", "64"}};
  }

  std::vector<std::string> ends_of_files() const {
    if (task_ == "translate") return {"written", "iso"};
    return {task_ == "classify" ? "labelled.tsv" : "written"};
  }

  // The label of a date is its century.
  void write(Rng& rng, const std::string& name, int pairs) const {
    std::string written, iso, labelled;
    for (int i = 0; i < pairs; ++i) {
      const DatePair pair = random_date(rng, DateUse::training);
      written += pair.written + '\n';
      iso += pair.iso + '\n';
      labelled += pair.iso.substr(0, 2) + '\t' + pair.written + '\n';
    }
    files_.put(name + ".written", written);
    files_.put(name + ".iso", iso);
    files_.put(name + ".labelled.tsv", labelled);
  }

  std::string task_;

  // If a folder is a link, the system reports its files under other names.
  TemporaryFolder files_{std::filesystem::canonical(std::filesystem::temp_directory_path())};
};

// Kills runs at random moments, some while a file is being written, and restarts the same command
// until it is done; this many kills in all. Returns how many of them hit a file that was being
// written.
inline int kill_runs(const SmallTraining& training, int kills) {
  // Curves are drawn under the name of their folder.
  const std::string undisturbed = training.path("undisturbed/model"),
                    model = training.path("killed/model");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(training.run(undisturbed), 0) << training.output();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const FileBytes expected = comparable_files(undisturbed);
  EXPECT_TRUE(expected.contains("model.safetensors"));
  Rng rng(2);
  int killed = 0, inside_a_write = 0;
  while (killed < kills && !::testing::Test::HasFailure()) {
    std::filesystem::remove_all(model);
    while (killed < kills &&
           training.run_for(rng.uniform() * seconds, killed % 3 == 0, model) == 128 + SIGKILL) {
      ++killed;
      inside_a_write += SmallTraining::partial_files(model) > 0;
    }
    EXPECT_EQ(training.run(model), 0) << training.output();
    EXPECT_TRUE(same_files(comparable_files(model), expected)) << "after " << killed << " kills";
    EXPECT_EQ(SmallTraining::partial_files(model), 0);
  }
  return inside_a_write;
}

}  // namespace heed::testing
