// `heed translate` as a user runs it: time, start and memory of whole processes.
//
//   translation_bench HEED MODEL TEXT
//
// TEXT is translated twice over in batches with two threads; 200 of its lines one at a time, each
// sent when the translation of the one before is there; and the first line alone, from the start of
// the process. Beam 5; with weights of 32 bits and of 8.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A process whose input and output are pipes.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments) {
    int to_child[2], from_child[2];
    if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      dup2(to_child[0], STDIN_FILENO);
      dup2(from_child[1], STDOUT_FILENO);
      std::vector<char*> pointers;
      for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
      pointers.push_back(nullptr);
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    in_ = to_child[1];
    out_ = fdopen(from_child[0], "r");
  }

  void send(const std::string& text) {
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t count = write(in_, text.data() + sent, text.size() - sent);
      if (count < 0) throw std::runtime_error("the program takes no input");
      sent += static_cast<size_t>(count);
    }
  }
  void end_input() {
    close(in_);
    in_ = -1;
  }
  void read_line() {
    for (int byte = std::fgetc(out_); byte != '\n'; byte = std::fgetc(out_))
      if (byte == EOF) throw std::runtime_error("the program wrote fewer lines than it should");
  }

  // Waits for its end and returns its peak memory in MB.
  double finish() {
    if (in_ >= 0) end_input();
    while (std::fgetc(out_) != EOF) {
    }
    std::fclose(out_);
    int status = 0;
    rusage usage{};
    wait4(process_, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      throw std::runtime_error("the program failed");
    return static_cast<double>(usage.ru_maxrss) / 1024;
  }

 private:
  pid_t process_ = -1;
  int in_ = -1;
  std::FILE* out_ = nullptr;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line + "\n");
  if (lines.empty()) throw std::runtime_error(path + ": there are no lines");
  return lines;
}

struct Batches {
  double seconds = 1e9;
  double megabytes = 0;
};

Batches translate_batches(const std::vector<std::string>& command, const std::string& path,
                          const std::vector<std::string>& lines) {
  // Through files, as a shell would; the parent only waits.
  std::string text;
  for (int time = 0; time < 2; ++time)
    for (const std::string& line : lines) text += line;
  const std::string twice = path + ".twice";
  std::ofstream(twice) << text;
  Batches best;
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::string shell;
    for (const std::string& argument : command) shell += argument + " ";
    const auto begin = Clock::now();
    Child child({"/bin/sh", "-c", "exec " + shell + "< " + twice + " > /dev/null"});
    best.megabytes = std::max(best.megabytes, child.finish());
    best.seconds = std::min(best.seconds, seconds_since(begin));
  }
  std::remove(twice.c_str());
  return best;
}

double translate_one_by_one(const std::vector<std::string>& command,
                            const std::vector<std::string>& lines) {
  double best = 1e9;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto begin = Clock::now();
    Child child(command);
    for (size_t i = 0; i < std::min<size_t>(200, lines.size()); ++i) {
      child.send(lines[i]);
      child.read_line();
    }
    child.finish();
    best = std::min(best, seconds_since(begin));
  }
  return best;
}

double first_line(const std::vector<std::string>& command, const std::vector<std::string>& lines) {
  double best = 1e9;
  for (int repetition = 0; repetition < 10; ++repetition) {
    const auto begin = Clock::now();
    Child child(command);
    child.send(lines[0]);
    child.read_line();
    best = std::min(best, seconds_since(begin));
    child.finish();
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(stderr, "translation_bench HEED MODEL TEXT\n");
    return 2;
  }
  try {
    const std::string heed = arguments[1], model = arguments[2], text = arguments[3];
    const std::vector<std::string> lines = lines_of(text);
    fmt::print("Translation with beam 5: float32, int8 (best of several)\n");
    const auto command = [&](const char* threads, bool int8) {
      std::vector<std::string> words = {heed,     "translate", "--model",   model,
                                        "--beam", "5",         "--threads", threads};
      if (int8) words.emplace_back("--int8");
      return words;
    };
    const Batches whole = translate_batches(command("2", false), "/tmp/translation_bench", lines),
                  small = translate_batches(command("2", true), "/tmp/translation_bench", lines);
    fmt::print("  {} lines in batches, 2 threads  {:8.2f} s {:8.2f} s\n", 2 * lines.size(),
               whole.seconds, small.seconds);
    fmt::print("  memory of that                  {:8.0f} MB{:8.0f} MB\n", whole.megabytes,
               small.megabytes);
    fmt::print("  200 lines one at a time         {:8.2f} s {:8.2f} s\n",
               translate_one_by_one(command("1", false), lines),
               translate_one_by_one(command("1", true), lines));
    fmt::print("  start to the first line         {:8.1f} ms{:8.1f} ms\n",
               1e3 * first_line(command("1", false), lines),
               1e3 * first_line(command("1", true), lines));
  } catch (const std::exception& error) {
    fmt::print(stderr, "translation_bench: {}\n", error.what());
    return 1;
  }
}
