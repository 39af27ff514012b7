// How a model is named on the command line, and the languages it translates between.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed {

struct LanguagePair {
  std::string source, target;

  auto operator<=>(const LanguagePair&) const = default;
  std::string name() const { return source + "-" + target; }
};

struct NamedFolder {
  LanguagePair languages;
  std::filesystem::path folder;
  std::filesystem::path glossary = {};  // a file, or none
};

// "en-de=DIR" or "DIR", whose languages are those that its tokenizer_config.json names, or else
// those at the end of its name: "en-de", "opus-mt-en-de". An Error says how to name them.
NamedFolder named_folder(const std::string& text);

// Gives a glossary to the model that it is for: "en-de=FILE", or "FILE" where there is one model.
// An Error if there is no such model, or it has one already.
void add_glossary(const std::string& text, std::vector<NamedFolder>& models);

}  // namespace heed
