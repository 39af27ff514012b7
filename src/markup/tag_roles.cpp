#include "heed/markup/tag_roles.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "heed/markup/html_elements.h"

namespace heed {

namespace {

using Names = std::set<std::string, std::less<>>;

Names names_of(const std::vector<std::string>& list, MarkupKind kind) {
  Names names;
  for (std::string name : list) {
    if (kind == MarkupKind::html)
      std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      });
    names.insert(std::move(name));
  }
  return names;
}

bool is_space(std::string_view text) { return text.find_first_not_of(" \t\r\n\f") == text.npos; }

bool has_word(std::string_view list, std::string_view word) {
  for (size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const auto is_end = [&](size_t i) { return i >= list.size() || is_space(list.substr(i, 1)); };
    if ((at == 0 || is_end(at - 1)) && is_end(at + word.size())) return true;
  }
  return false;
}

class RoleFinder {
 public:
  RoleFinder(std::string_view text, const DocumentOptions& options)
      : text_(text),
        kind_(options.kind),
        ignored_(names_of(options.ignore_tags, kind_)),
        splitting_(names_of(options.splitting_tags, kind_)),
        non_splitting_(names_of(options.non_splitting_tags, kind_)) {
    for (HtmlToken& token : find_tokens(text, kind_)) tags_.push_back({std::move(token)});
    for (size_t i = 0; i < tags_.size(); ++i) tags_[i].last = i;
    if (kind_ == MarkupKind::xml && options.outline_detection) find_outline();
  }

  std::vector<Tag> run() &&;

 private:
  std::string_view raw(const Tag& tag) const {
    return text_.substr(tag.token.range.begin, tag.token.range.size());
  }
  bool ends_sentences(std::string_view name) const;
  bool is_kept(const Tag& tag) const;
  void find_outline();
  std::vector<size_t> find_ends() const;
  void choose_role(size_t i, const std::vector<size_t>& ends);
  void keep_untouched(size_t i, size_t end);
  void match(size_t begin, size_t end);
  void match_names(size_t begin, size_t end);
  void release_deep(size_t begin, size_t end);
  void spread_boundaries(size_t begin, size_t end);
  void release(Tag& tag) const;

  std::string_view text_;
  MarkupKind kind_;
  Names ignored_, splitting_, non_splitting_;
  Names inline_names_;  // of XML, if elements beside no text end sentences
  bool has_outline_ = false;
  std::vector<Tag> tags_;
};

bool RoleFinder::ends_sentences(std::string_view name) const {
  if (splitting_.contains(name)) return true;
  if (kind_ == MarkupKind::text || non_splitting_.contains(name)) return false;
  if (kind_ == MarkupKind::html) return is_block(name);
  return has_outline_ && !inline_names_.contains(name);
}

// The names of elements that stand beside text.
void RoleFinder::find_outline() {
  has_outline_ = true;
  struct Level {
    std::string_view name;
    bool has_text = false;
    std::vector<std::string_view> children = {};
  };
  std::vector<Level> levels(1);
  const auto leave = [&] {
    if (levels.back().has_text)
      for (const std::string_view child : levels.back().children) inline_names_.emplace(child);
    levels.pop_back();
  };
  for (const Tag& tag : tags_) {
    const std::string_view name = tag.token.name;
    switch (tag.token.kind) {
      case TokenKind::text:
        if (!is_space(raw(tag))) levels.back().has_text = true;
        break;
      case TokenKind::start_tag:
        levels.back().children.push_back(name);
        levels.push_back({.name = name});
        break;
      case TokenKind::empty_tag:
        levels.back().children.push_back(name);
        break;
      case TokenKind::end_tag:
        if (levels.size() > 1 && levels.back().name == name) leave();
        break;
      case TokenKind::raw_text:
      case TokenKind::other:
      case TokenKind::declaration:
      case TokenKind::unfinished:
        break;
    }
  }
  while (!levels.empty()) leave();
}

bool RoleFinder::is_kept(const Tag& tag) const {
  if (ignored_.contains(tag.token.name)) return true;
  if (kind_ != MarkupKind::html) return false;
  if (is_untouched(tag.token.name)) return true;
  return is_marked_untouched(raw(tag));
}

// The end tag of each start tag, by names alone; 0 if there is none.
std::vector<size_t> RoleFinder::find_ends() const {
  std::vector<size_t> ends(tags_.size());
  std::unordered_map<std::string_view, std::vector<size_t>> open;
  for (size_t i = 0; i < tags_.size(); ++i) {
    const HtmlToken& token = tags_[i].token;
    if (token.kind == TokenKind::start_tag && !(kind_ == MarkupKind::html && is_void(token.name)))
      open[token.name].push_back(i);
    if (token.kind != TokenKind::end_tag) continue;
    std::vector<size_t>& starts = open[token.name];
    if (starts.empty()) continue;
    ends[starts.back()] = i;
    starts.pop_back();
  }
  return ends;
}

// An element that stays as it is. One that never ends stays so up to where the sentence must end.
void RoleFinder::keep_untouched(size_t i, size_t end) {
  Tag& tag = tags_[i];
  const auto splits = [&](const Tag& inner) {
    return !inner.token.name.empty() && ends_sentences(inner.token.name);
  };
  bool is_inline = end > 0 && !splits(tag);
  if (end == 0) {
    for (end = i; end + 1 < tags_.size() && !splits(tags_[end + 1]); ++end) {
    }
    if (tags_[end].token.kind == TokenKind::unfinished && end > i) --end;
  }
  // A picture or a formula has names of its own: its title is not that of a page.
  const bool is_foreign =
      kind_ == MarkupKind::html && (tag.token.name == "svg" || tag.token.name == "math");
  for (size_t k = i; k <= end && is_inline && !is_foreign; ++k) is_inline = !splits(tags_[k]);
  tag.role = is_inline ? TagRole::untouched : TagRole::boundary;
  tag.last = end;
}

void RoleFinder::choose_role(size_t i, const std::vector<size_t>& ends) {
  Tag& tag = tags_[i];
  const std::string_view name = tag.token.name;
  switch (tag.token.kind) {
    case TokenKind::text:
      tag.role = TagRole::text;
      return;
    case TokenKind::raw_text:
    case TokenKind::declaration:
    case TokenKind::unfinished:
      tag.role = TagRole::boundary;
      return;
    case TokenKind::other:
      tag.role = TagRole::item;
      return;
    case TokenKind::empty_tag:
      tag.role = ends_sentences(name) ? TagRole::boundary : TagRole::item;
      return;
    case TokenKind::start_tag:
      if (is_kept(tag) && !(kind_ == MarkupKind::html && is_void(name)))
        return keep_untouched(i, ends[i]);
      tag.role = TagRole::open;
      if (ends_sentences(name))
        tag.role = TagRole::boundary;
      else if (kind_ == MarkupKind::html && is_void(name))
        tag.role = TagRole::item;
      return;
    case TokenKind::end_tag:
      tag.role = TagRole::close;
      if (ends_sentences(name) || (kind_ == MarkupKind::html && is_void(name)))
        tag.role = TagRole::boundary;
  }
}

// A tag that does not belong to an element of the passage. In plain text, it is a thing of its own.
void RoleFinder::release(Tag& tag) const {
  tag.role = kind_ == MarkupKind::text ? TagRole::item : TagRole::boundary;
}

// An end tag closes the nearest element of its name.
void RoleFinder::match_names(size_t begin, size_t end) {
  std::unordered_map<std::string_view, std::vector<size_t>> open;
  for (size_t i = begin; i < end; i = tags_[i].last + 1) {
    Tag& tag = tags_[i];
    if (tag.role == TagRole::open) open[tag.token.name].push_back(i);
    if (tag.role != TagRole::close) continue;
    std::vector<size_t>& starts = open[tag.token.name];
    if (starts.empty()) {
      release(tag);
      continue;
    }
    tag.partner = starts.back();
    tags_[starts.back()].partner = i;
    starts.pop_back();
  }
  for (const auto& [name, starts] : open)
    for (const size_t start : starts) release(tags_[start]);
}

void RoleFinder::release_deep(size_t begin, size_t end) {
  constexpr int deepest = 32;
  int depth = 0;
  for (size_t i = begin; i < end; i = tags_[i].last + 1) {
    if (tags_[i].role == TagRole::close) --depth;
    if (tags_[i].role != TagRole::open) continue;
    if (depth < deepest) {
      ++depth;
    } else {
      release(tags_[tags_[i].partner]);
      release(tags_[i]);
    }
  }
}

// An element that holds a boundary is one itself.
void RoleFinder::spread_boundaries(size_t begin, size_t end) {
  std::vector<size_t> before(end - begin + 1);  // boundaries before each tag
  constexpr int most_rounds = 4;
  for (int round = 0;; ++round) {
    for (size_t i = begin; i < end; ++i)
      before[i - begin + 1] = before[i - begin] + (tags_[i].role == TagRole::boundary ? 1 : 0);
    bool changed = false;
    for (size_t i = begin; i < end; i = tags_[i].last + 1) {
      if (tags_[i].role != TagRole::open) continue;
      const size_t partner = tags_[i].partner;
      if (round < most_rounds && before[partner - begin] == before[i - begin]) continue;
      if (round >= most_rounds && before[end - begin] == 0) continue;
      tags_[i].role = tags_[partner].role = TagRole::boundary;
      changed = true;
    }
    if (!changed) return;
  }
}

void RoleFinder::match(size_t begin, size_t end) {
  match_names(begin, end);
  release_deep(begin, end);
  if (kind_ != MarkupKind::text) spread_boundaries(begin, end);
}

std::vector<Tag> RoleFinder::run() && {
  const std::vector<size_t> ends = find_ends();
  for (size_t i = 0; i < tags_.size(); i = tags_[i].last + 1) choose_role(i, ends);
  size_t begin = 0;
  for (size_t i = 0; i < tags_.size(); i = tags_[i].last + 1) {
    if (tags_[i].role != TagRole::boundary) continue;
    match(begin, i);
    begin = tags_[i].last + 1;
  }
  match(begin, tags_.size());
  return std::move(tags_);
}

}  // namespace

bool is_marked_untouched(std::string_view tag) {
  const std::optional<std::string_view> translate = attribute_of(tag, "translate");
  if (translate && (*translate == "no" || *translate == "NO" || *translate == "No")) return true;
  const std::optional<std::string_view> classes = attribute_of(tag, "class");
  return classes && has_word(*classes, "notranslate");
}

std::vector<Tag> find_roles(std::string_view text, const DocumentOptions& options) {
  return RoleFinder(text, options).run();
}

}  // namespace heed
