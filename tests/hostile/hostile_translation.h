// `heed translate` on hostile lines in each of its modes, and what must hold for the output.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "heed/base/characters.h"
#include "heed/base/sanitizer.h"
#include "heed/base/text.h"
#include "hostile_lines.h"
#include "program_process.h"
#include "temporary_folder.h"

namespace heed::testing {

enum class LineForm { text, scored, n_best, json };

struct Mode {
  std::string name;
  std::vector<std::string> flags;
  LineForm form = LineForm::text;
};

// `other` is a second model for an ensemble.
inline std::vector<Mode> translation_modes(const std::string& other) {
  return {{"greedy", {"--beam=1"}},
          {"beam", {"--beam=5"}},
          {"int8", {"--int8", "--beam=5"}},
          {"greedy int8", {"--int8", "--beam=1"}},
          {"sampling", {"--sample", "--seed=3"}},
          {"several samples", {"--sample", "--top-k=5", "--nbest=3"}, LineForm::n_best},
          {"an ensemble", {"--model", other, "--beam=2"}},
          {"links", {"--beam=2", "--alignment=pharaoh"}},
          {"weights", {"--beam=2", "--alignment=soft"}},
          {"JSON", {"--beam=2", "--json"}, LineForm::json},
          {"JSON with weights",
           {"--beam=3", "--nbest=3", "--json", "--alignment=soft"},
           LineForm::json},
          {"n best", {"--beam=5", "--nbest=5"}, LineForm::n_best},
          {"scores", {"--beam=2", "--scores"}, LineForm::scored}};
}

inline std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Category Cc: what a terminal would obey.
inline bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

// Sanitizers hold on to freed memory.
#if defined(HEED_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif

class HostileTranslation {
 public:
  // Each run may take this much memory.
  HostileTranslation(std::string model, std::vector<std::string> lines, size_t most_memory)
      : model_(std::move(model)), lines_(std::move(lines)), most_memory_(most_memory) {
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';
    files_.put("in", text);
  }

  // Twice on two threads and once on one: the same bytes, and lines in the form of the mode.
  void try_mode(const Mode& mode) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, mode.name);
    const std::string out = translate(mode, 2);
    EXPECT_TRUE(out.ends_with('\n'));
    EXPECT_TRUE(translate(mode, 2) == out) << "another run gives other bytes";
    EXPECT_TRUE(translate(mode, 1) == out) << "one thread gives other bytes than two";
    check_lines(lines_in(out), mode.form);
    std::cout << fmt::format("{}: {} lines, at most {} MB\n", mode.name, lines_.size(),
                             peak_ >> 20);
  }

  std::string translate(const Mode& mode, int threads) {
    std::vector<std::string> arguments = {"translate", "--model", model_, "--max-length=40",
                                          fmt::format("--threads={}", threads)};
    arguments.insert(arguments.end(), mode.flags.begin(), mode.flags.end());
    ProgramProcess process(
        arguments, {.in = files_.path("in"), .out = files_.path("out"), .err = files_.path("err")});
    EXPECT_EQ(process.wait(), 0) << files_.text("err");
    check_errors(files_.text("err"));
    peak_ = std::max(peak_, process.peak_memory());
    EXPECT_TRUE(under_sanitizer || process.peak_memory() < most_memory_)
        << (process.peak_memory() >> 20) << " MB";
    return files_.text("out");
  }

 private:
  // How many lines were not UTF-8, and else only what became of long lines.
  void check_errors(const std::string& said) const {
    const auto broken =
        std::ranges::count_if(lines_, [](const auto& line) { return !is_utf8(line); });
    if (broken > 0) {
      const std::string sentence =
          fmt::format("heed: {} of {} lines were not UTF-8; invalid bytes became U+FFFD\n", broken,
                      lines_.size());
      EXPECT_TRUE(said.starts_with(sentence)) << said;
    }
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(line.find("not UTF-8") != line.npos ||
                  line.find("translated in parts") != line.npos ||
                  line.find("maximum length") != line.npos)
          << line;
  }

  void check_lines(const std::vector<std::string>& out, LineForm form) const {
    for (const std::string& line : out) ASSERT_TRUE(is_clean(line, form)) << printable(line);
    if (form == LineForm::n_best) return check_n_best(out);
    ASSERT_EQ(out.size(), lines_.size());
    for (size_t i = 0; i < out.size(); ++i) {
      if (form == LineForm::json) check_json(out[i], i);
      const int64_t tabs = form == LineForm::scored ? 1 : 0;
      ASSERT_TRUE(form == LineForm::json || std::ranges::count(out[i], '\t') == tabs)
          << printable(out[i]);
    }
  }

  // UTF-8 without control characters, except for the tab after a score. JSON may repeat control
  // characters of its source where they are allowed.
  static bool is_clean(const std::string& line, LineForm form) {
    if (!is_utf8(line)) return false;
    return std::ranges::none_of(characters_of(line), [&](char32_t character) {
      if (form == LineForm::json) return character < 0x20;
      return is_control(character) && !(form == LineForm::scored && character == U'\t');
    });
  }

  // Every number has its line, and they come in order.
  void check_n_best(const std::vector<std::string>& out) const {
    size_t next = 0;
    for (const std::string& line : out) {
      const size_t number = std::stoul(line);
      ASSERT_TRUE(line.starts_with(fmt::format("{} ||| ", number))) << line;
      ASSERT_TRUE(number == next || number + 1 == next) << line;
      next = number + 1;
    }
    EXPECT_EQ(next, lines_.size());
  }

  void check_json(const std::string& line, size_t index) const {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << printable(line);
    std::string source = lines_[index];
    if (source.ends_with('\r')) source.pop_back();
    ASSERT_TRUE(json["source"] == text_of(characters_of(source))) << printable(line);
    ASSERT_TRUE(json["translations"].is_array());
  }

  std::string model_;
  std::vector<std::string> lines_;
  size_t most_memory_, peak_ = 0;
  TemporaryFolder files_;
};

}  // namespace heed::testing
