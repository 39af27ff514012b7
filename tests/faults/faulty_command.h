// A command run under faults, and what must hold after each of them.
#pragma once

#include <gtest/gtest.h>
#include <string.h>

#include <algorithm>
#include <functional>

#include "comparable_files.h"
#include "faults.h"
#include "program_process.h"
#include "temporary_folder.h"

namespace heed::testing {

// Works in a folder with `in`, which it reads, and `out`, which it writes.
class FaultyCommand {
 public:
  FaultyCommand() { std::filesystem::create_directory(path("in")); }

  // What to run, and the files that are in `out` before. A command that can be continued may leave
  // what it has done so far; any other leaves `out` as it was.
  struct Run {
    std::vector<std::string> arguments;
    FileBytes before = {};
    bool goes_on = false;
    // The second of two files that belong together: if only its rename fails, the first one exists.
    std::string last = {};
  };

  // Runs it without a fault, for the expected result.
  void set(Run run) {
    run_ = std::move(run);
    reset();
    ASSERT_EQ(execute({}), 0) << said();
    expected_ = comparable_files(path("out"));
    ASSERT_NE(expected_, run_.before);
  }

  // Injects the fault and checks every promise. False if the run did not reach it.
  bool survives(Fault fault) {
    fault.below = folder_.path("");
    fault.below.pop_back();
    reset();
    const int code = execute(environment_of(fault, said_.path("report")));
    const std::vector<MetCall> met = take_report(said_.path("report"));
    if (fault.disk < 0 && met.empty()) {
      EXPECT_EQ(code, 0) << said();
      return false;
    }
    const ::testing::ScopedTrace trace(
        __FILE__, __LINE__,
        fmt::format("{} {}: {} of {}", fault.action, strerror(fault.error),
                    met.empty() ? "a disk" : met.front().name,
                    met.empty() ? fmt::format("{} bytes", fault.disk) : met.front().path));
    EXPECT_EQ(partial_files_below(path("out")), 0);
    if (code == 0) {
      EXPECT_FALSE(must_stop(fault, met)) << "the failure went unnoticed";
      EXPECT_TRUE(same_files(comparable_files(path("out")), expected_));
      return true;
    }
    expect_failure(code, fault.disk < 0 ? fault.error : ENOSPC);
    const bool too_late = !met.empty() && met[0].name == "rename" && met[0].path == run_.last;
    if (!run_.goes_on && !too_late) {
      EXPECT_TRUE(same_files(comparable_files(path("out")), run_.before)) << "after it had failed";
    }
    EXPECT_EQ(execute({}), 0) << said();
    EXPECT_TRUE(same_files(comparable_files(path("out")), expected_)) << "when it was run again";
    EXPECT_EQ(partial_files_below(path("out")), 0);
    return true;
  }

  // Lets the n-th call fail, for n = first, first + stride, and so on until a run has fewer calls.
  // Returns the number of runs.
  int survives_each(const Fault& fault, int64_t stride = 1, int64_t first = 1) {
    int runs = 0;
    for (Fault next = fault; !::testing::Test::HasFatalFailure(); ++runs) {
      next.at = first + runs * stride;
      if (!survives(next)) break;
    }
    return runs;
  }

  // Total bytes in the folder after an undisturbed run.
  int64_t disk_needed() const {
    uintmax_t sum = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path("")))
      if (entry.is_regular_file()) sum += entry.file_size();
    return static_cast<int64_t>(sum);
  }
  int64_t disk_at_first() {
    reset();
    return disk_needed();
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  void reset() {
    std::filesystem::remove_all(path("out"));
    std::filesystem::create_directory(path("out"));
    for (const auto& [name, bytes] : run_.before) folder_.put("out/" + name, bytes);
  }

  int execute(const std::map<std::string, std::string>& environment) {
    return ProgramProcess(run_.arguments, {.err = said_.path("said")}, environment).wait();
  }
  std::string said() const { return said_.text("said"); }

  // If the output may be missing, the run must not report success.
  static bool must_stop(const Fault& fault, const std::vector<MetCall>& met) {
    if (fault.action != "fail" || fault.error == EINTR) return false;
    if (fault.disk >= 0) return true;
    const auto& [name, path] = met.front();
    const bool of_a_file = !std::filesystem::is_directory(path);
    return name == "write" || name == "rename" || name == "create" || name == "truncate" ||
           (name == "fsync" && of_a_file);
  }

  // One sentence that names a file and the reason. A command that can be continued may have printed
  // progress before.
  void expect_failure(int code, int error) {
    const std::string text = said();
    EXPECT_EQ(code, 1) << text;
    const size_t last = text.rfind("heed: ");
    ASSERT_NE(last, std::string::npos) << text;
    EXPECT_EQ(text.find("heed: "), last) << text;
    const std::string sentence = text.substr(last);
    EXPECT_EQ(sentence.find('\n'), sentence.size() - 1) << text;
    if (error == ENOMEM) {
      EXPECT_EQ(sentence, "heed: not enough memory\n");
    } else {
      EXPECT_NE(sentence.find(path("")), std::string::npos) << sentence;
      EXPECT_TRUE(sentence.ends_with(fmt::format(": {}\n", strerror(error)))) << sentence;
    }
    EXPECT_TRUE(last == 0 || run_.goes_on) << text;
  }

  // If a folder is a link, the system reports its files under other names.
  TemporaryFolder folder_{std::filesystem::canonical(std::filesystem::temp_directory_path())};
  TemporaryFolder said_;
  Run run_;
  FileBytes expected_;
};

}  // namespace heed::testing
