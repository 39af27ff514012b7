#include "heed/app/cli/attention_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/error.h"

namespace heed {

namespace {

std::optional<std::string> next_of(TextLines& lines) {
  std::string line;
  return lines.next(line) ? std::optional(std::move(line)) : std::nullopt;
}

}  // namespace

std::string as_line(const std::string& text) {
  std::string line = text_of(characters_of(text));
  std::ranges::replace_if(
      line, [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
  return line;
}

AttentionLines::AttentionLines(const Console& console, const LineChoice& choice) : choice_(choice) {
  if (choice.source)
    require(as_line(*choice.source).find_first_not_of(" \t") != std::string::npos, ErrorKind::usage,
            "--source is empty, so there is nothing to look at");
  else
    sources_.emplace(open_lines(console, "-", choice.forced));
  if (!choice.target_file.empty())
    targets_.emplace(open_lines(console, choice.target_file, choice.forced));
}

std::optional<AttentionLines::Line> AttentionLines::next() {
  std::optional<std::string> source = next_source(), target = next_target();
  if (targets_) {
    const std::string& name = targets_->name();
    require(source || !target, "{} has more lines than the source, which has {}", name, number_);
    require(target || !source, "{} has {} lines, but the source has more", name, number_);
  }
  if (!source) return std::nullopt;
  require(!choice_.target || number_ == 0,
          "--target is the translation of one line, but standard input has several");
  return Line{.number = ++number_, .source = *std::move(source), .target = std::move(target)};
}

std::optional<std::string> AttentionLines::next_source() {
  if (sources_) return next_of(*sources_);
  return number_ == 0 ? std::optional(as_line(*choice_.source)) : std::nullopt;
}

std::optional<std::string> AttentionLines::next_target() {
  if (targets_) return next_of(*targets_);
  return choice_.target ? std::optional(as_line(*choice_.target)) : std::nullopt;
}

void AttentionLines::report(std::ostream& err) const {
  for (const std::optional<TextLines>* const found : {&sources_, &targets_}) {
    const std::optional<TextLines>& lines = *found;
    if (lines && lines->counts().not_utf8 > 0)
      err << fmt::format("heed: {}: {} of {} lines were not UTF-8; invalid bytes became U+FFFD\n",
                         lines->name(), lines->counts().not_utf8, lines->counts().lines);
  }
}

}  // namespace heed
