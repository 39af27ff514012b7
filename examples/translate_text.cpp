// A translator inside a program: loads a model folder, translates its arguments, and shows which
// source word each word of the translation attended to.
//
//   translate_text FOLDER LINE...
#include <fmt/format.h>

#include <string>
#include <vector>

#include "heed/heed.h"

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "translate_text FOLDER LINE...\n");
    return 2;
  }
  try {
    const heed::Translator translator = heed::Translator::load(arguments[1], {.threads = 2});
    const std::vector<std::string> lines(arguments + 2, arguments + count);
    const auto translated = translator.translate_n_best(lines, {.beam = 4, .want_attention = true});
    for (size_t i = 0; i < lines.size(); ++i) {
      if (translated[i].empty()) continue;  // an empty line
      const heed::Translation& best = translated[i].front();
      fmt::print("{} -> {} (score {:.2f}; looked at", lines[i], best.text, best.hypothesis.score);
      for (const auto& [source, target] : best.alignment.links())
        fmt::print(" {}-{}", source, target);
      fmt::print(")\n");
    }
  } catch (const heed::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
