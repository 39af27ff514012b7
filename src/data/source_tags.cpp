#include "heed/data/source_tags.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/tag_name.h"
#include "heed/data/word_vocabulary.h"

namespace heed {

namespace {

constexpr std::string_view space_mark = "▁";  // what SentencePiece writes for a space
constexpr size_t most_named = 20;             // in an error
const TagIds no_tag;

TagIds spelled(const Vocabulary& vocabulary, const std::string& name) {
  // After a space, what looks like the code of a language is text like any other.
  for (const std::string& text : {fmt::format(" {}", token_of_tag(name)), name}) {
    const TagIds ids = vocabulary.encode(text);
    if (!ids.empty() && std::ranges::count(ids, Vocabulary::unknown) == 0) return ids;
  }
  fail(
      "the tag {}: the vocabulary of the model, which has no token for it, lacks its characters, "
      "too",
      Quoted{name});
}

std::string listed(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), most_named);
  const auto first = std::span(names).first(shown);
  return fmt::format(
      "{}{}", fmt::join(first, ", "),
      shown == names.size() ? "" : fmt::format(" and {} more", names.size() - shown));
}

}  // namespace

SourceTags::SourceTags(const Vocabulary& source, std::span<const std::string> trained) {
  for (int32_t id = 0; id < source.size(); ++id) {
    const std::string piece = source.piece(id);
    std::string_view token = piece;
    // Where text has such words, they are pieces like others; a token for the tag comes first.
    const bool is_word = token.starts_with(space_mark);
    if (is_word) token.remove_prefix(space_mark.size());
    const std::optional<std::string_view> name = tag_of_token(token);
    if (!name) continue;
    const auto [place, is_new] = ids_.emplace(*name, TagIds());
    if (is_new || !is_word) place->second = {id};
  }
  for (const std::string& name : trained)
    if (!ids_.contains(name)) ids_.emplace(name, spelled(source, name));
  std::map<TagIds, std::string_view> seen;
  for (const auto& [name, ids] : ids_) {
    const auto [other, is_new] = seen.emplace(ids, name);
    require(is_new, "the tags {} and {} are the same in the vocabulary of the model",
            Quoted{other->second}, Quoted{name});
  }
}

std::vector<std::string> SourceTags::names() const {
  std::vector<std::string> names;
  for (const auto& [name, ids] : ids_) names.push_back(name);
  return names;
}

const TagIds& SourceTags::ids_of(std::string_view tag) const {
  if (tag.empty()) return no_tag;
  const auto found = ids_.find(tag_name(tag).value_or(tag));
  if (found != ids_.end()) return found->second;
  require(!ids_.empty(), ErrorKind::usage, "the tag {}: the model has no tags", Quoted{tag});
  fail(ErrorKind::usage, "the tag {}: the model has {}", Quoted{tag}, listed(names()));
}

size_t SourceTags::longest() const {
  size_t most = 0;
  for (const auto& [name, ids] : ids_) most = std::max(most, ids.size());
  return most;
}

const TagIds& tag_of_line(std::span<const TagIds> tags, size_t line) {
  if (tags.empty()) return no_tag;
  return tags[tags.size() == 1 ? 0 : line];
}

Vocabulary with_tags(const Vocabulary& vocabulary, std::span<const std::string> tags) {
  if (vocabulary.has_tokens()) return vocabulary;
  const std::vector<std::string> known = SourceTags(vocabulary, {}).names();
  std::vector<std::string> tokens;
  for (const std::string& tag : tags)
    if (std::ranges::count(known, tag) == 0) tokens.push_back(token_of_tag(tag));
  return with_more_pieces(vocabulary, tokens);
}

std::set<std::string> tags_in(const CorpusStore& corpus) {
  std::set<std::string> tags;
  for (int64_t chunk = 0; chunk < corpus.chunks(); ++chunk)
    for (const PairView& pair : corpus.read(chunk).pairs)
      if (!pair.tag.empty()) tags.emplace(pair.tag);
  return tags;
}

}  // namespace heed
