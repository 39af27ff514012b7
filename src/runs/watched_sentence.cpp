#include "heed/runs/watched_sentence.h"

#include <algorithm>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/data/line_reader.h"

namespace heed {

namespace {

bool has_words(const std::string& text) {
  return !std::ranges::all_of(characters_of(text), is_space);
}

std::string as_line(const std::string& text) {
  std::string line = text_of(characters_of(text));
  std::ranges::replace_if(
      line, [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
  return line;
}

WatchedSentence parse(const std::string& text, std::string where) {
  const std::string line = as_line(text);
  const size_t tab = line.find('\t');
  WatchedSentence sentence{.source = line.substr(0, tab), .where = std::move(where)};
  require(has_words(sentence.source), "{}: the sentence to watch is empty", sentence.where);
  if (tab == line.npos) return sentence;
  sentence.target = line.substr(tab + 1);
  require(sentence.target->find('\t') == line.npos,
          "{}: several tabs, but one between a sentence and its translation was expected",
          sentence.where);
  require(has_words(*sentence.target), "{}: the translation after the tab is empty",
          sentence.where);
  return sentence;
}

void add(WatchedSentence sentence, std::vector<WatchedSentence>& sentences) {
  const bool known =
      std::ranges::any_of(sentences, [&](const auto& each) { return each.is_same_as(sentence); });
  if (!known) sentences.push_back(std::move(sentence));
}

}  // namespace

std::vector<WatchedSentence> watched_sentences(const TrainingSettings& settings) {
  std::vector<WatchedSentence> sentences;
  for (const std::string& text : settings.watch) add(parse(text, "--watch"), sentences);
  if (settings.watch_file.empty()) return sentences;
  LineReader lines(settings.watch_file);
  for (std::string line; lines.next(line);) add(parse(line, lines.where()), sentences);
  require(lines.lines() > 0, "{}: has no sentence to watch", lines.name());
  return sentences;
}

}  // namespace heed
