// How a model is named on the command line, and the languages it translates between.
#pragma once

#include <compare>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

namespace heed {

struct LanguagePair {
  std::string source, target;

  bool operator==(const LanguagePair&) const = default;
  auto operator<=>(const LanguagePair& other) const {
    return std::tie(source, target) <=> std::tie(other.source, other.target);
  }
  std::string name() const { return source + "-" + target; }
};

struct NamedFolder {
  LanguagePair languages;
  std::filesystem::path folder;
  std::filesystem::path glossary = {};  // a file, or none
  std::filesystem::path adapter = {};   // (the same)
  std::string tag = {};                 // of requests that name none
};

// "en-de=DIR" or "DIR", whose languages are those that its tokenizer_config.json names, or else
// those at the end of its name: "en-de", "opus-mt-en-de". An Error says how to name them.
NamedFolder named_folder(const std::string& text);

// Gives a glossary to the model that it is for: "en-de=FILE", or "FILE" where there is one model.
// An Error if there is no such model, or it has one already.
void add_glossary(const std::string& text, std::vector<NamedFolder>& models);
// The same for an adapter and for a tag.
void add_adapter(const std::string& text, std::vector<NamedFolder>& models);
void add_tag(const std::string& text, std::vector<NamedFolder>& models);

}  // namespace heed
