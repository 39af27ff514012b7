#include "heed/data/pair_notes.h"

#include <cmath>

#include "heed/base/error_place.h"
#include "heed/base/numbers.h"
#include "heed/base/text.h"
#include "heed/data/source_tags.h"
#include "heed/data/tag_name.h"
#include "heed/data/token_links.h"
#include "heed/metrics/alignment_error.h"

namespace heed {

namespace {

GoldLinks links_in(const std::string& line, const LineReader& reader) {
  return with_place(reader.where(), [&] { return parse_gold_links(line); });
}

// The line if it has links.
std::string_view checked_links(const std::string& line, const PairView& pair,
                               const LineReader& reader) {
  const GoldLinks links = links_in(line, reader);
  if (links.possible.empty()) return {};
  const int64_t sources = std::ssize(spaced_words(pair.source)),
                targets = std::ssize(spaced_words(pair.target));
  for (const auto& [source, target] : links.possible)
    require(source < sources && target < targets,
            "{}: a link {}-{}, but the words of the pair are 0 to {} and 0 to {}", reader.where(),
            source, target, sources - 1, targets - 1);
  return line;
}

float weight_in(const std::string& line, const LineReader& reader) {
  const std::optional<float> weight = parse_number<float>(line);
  require(weight && std::isfinite(*weight) && *weight >= 0,
          "{}: {} but a weight of at least 0 was expected", reader.where(), Quoted{line});
  return *weight;
}

}  // namespace

PairNotes::PairNotes(const PairNoteFiles& files) {
  if (!files.links.empty()) links_.emplace(files.links);
  if (!files.weights.empty()) weights_.emplace(files.weights);
  if (!files.tags.empty()) tags_.emplace(files.tags);
}

bool PairNotes::read_line(std::optional<Lines>& lines) {
  return lines && lines->reader.next(lines->line);
}

std::string_view PairNotes::checked_tag(const std::string& line) {
  if (line.empty()) return {};
  const std::optional<std::string_view> name = tag_name(line);
  require(name.has_value(), "{}: {} but a tag was expected, {}, or an empty line",
          tags_->reader.where(), Quoted{line}, what_a_tag_is);
  if (!known_tags_.contains(*name)) known_tags_.emplace(*name);
  require(known_tags_.size() <= most_tags, "{}: {} is one more than the most different tags, {}",
          tags_->reader.where(), Quoted{line}, most_tags);
  return *name;
}

PairView PairNotes::next(std::string_view source, std::string_view target) {
  ++pairs_;
  PairView pair = {source, target};
  if (read_line(links_)) pair.links = checked_links(links_->line, pair, links_->reader);
  if (read_line(weights_)) pair.weight = weight_in(weights_->line, weights_->reader);
  if (read_line(tags_)) pair.tag = checked_tag(tags_->line);
  return pair;
}

void PairNotes::skip() {
  ++pairs_;
  read_line(links_);
  read_line(weights_);
  read_line(tags_);
}

void PairNotes::finish() {
  finish(links_, "links");
  finish(weights_, "weights");
  finish(tags_, "tags");
}

void PairNotes::finish(std::optional<Lines>& lines, std::string_view what) const {
  while (read_line(lines)) {
  }
  require(!lines || lines->reader.lines() == pairs_,
          "{}: there are {} lines of {}, but {} sentence pairs", lines ? lines->reader.name() : "",
          lines ? lines->reader.lines() : 0, what, pairs_);
}

}  // namespace heed
