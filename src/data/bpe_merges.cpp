#include "heed/data/bpe_merges.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view end_of_word = "</w>";

uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view around = " \r";
  const size_t begin = line.find_first_not_of(around);
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(around) + 1 - begin);
}

// "0.2" of "#version: 0.2", without zeros at the end.
std::string_view version_in(std::string_view line) {
  std::string_view version = trimmed(line);
  version.remove_prefix(version.find_last_of(" :") + 1);
  while (version.ends_with(".0")) version.remove_suffix(2);
  return version;
}

}  // namespace

// A symbol of a word that is being merged.
struct BpeMerges::Node {
  Symbol symbol;
  int previous, next;
  size_t end;  // in characters of the word
};

// A merge of two neighbours, of which one may have been merged with another since.
struct BpeMerges::Candidate {
  int32_t rank;
  int left;
  Symbol first, second;

  // The best merge first, then the leftmost.
  bool operator>(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

BpeMerges BpeMerges::parse(std::string_view text, std::string_view name) {
  require(!text.empty(), "{}: is empty, but merges of byte-pair encoding were expected", name);
  require(is_utf8(text), "{}: is not UTF-8", name);
  BpeMerges merges;
  merges.end_is_a_symbol_ = true;
  int64_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    ++number;
    if (number == 1 && line.starts_with("#version:")) {
      const std::string_view version = version_in(line);
      require(version == "0.1" || version == "0.2",
              "{}: is of version {}, but 0.1 or 0.2 was expected", name, Quoted{version});
      merges.end_is_a_symbol_ = version == "0.1";
      continue;
    }
    const std::string_view pair = trimmed(line);
    const size_t space = pair.find(' ');
    require(space != pair.npos && pair.find(' ', space + 1) == pair.npos,
            "{}: line {} is {}, but two symbols with a space between them were expected", name,
            number, Quoted{line});
    merges.add(pair.substr(0, space), pair.substr(space + 1));
  }
  require(!merges.merges_.empty(), "{}: has no merges", name);
  return merges;
}

BpeMerges::Symbol BpeMerges::symbol_of(const std::string& text) {
  const auto [place, is_new] = symbols_.emplace(text, static_cast<Symbol>(symbols_.size()));
  if (!is_new) return place->second;
  const std::u32string characters = characters_of(text);
  if (characters.size() == 1) characters_.emplace(characters[0], place->second);
  if (characters.size() == 1 + end_of_word.size() && text.ends_with(end_of_word))
    last_characters_.emplace(characters[0], place->second);
  return place->second;
}

void BpeMerges::add(std::string_view left, std::string_view right) {
  const std::string first(left), second(right);
  const uint64_t key = key_of(symbol_of(first), symbol_of(second));
  // Of merges that are given twice, the first counts.
  merges_.emplace(key, Merge{ranks_++, symbol_of(first + second)});
}

const BpeMerges::Merge* BpeMerges::find(Symbol left, Symbol right) const {
  if (left == unknown || right == unknown) return nullptr;
  const auto found = merges_.find(key_of(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<BpeMerges::Node> BpeMerges::nodes_of(std::u32string_view word) const {
  std::vector<Node> nodes;
  const auto push = [&](Symbol symbol, size_t end) {
    const int place = static_cast<int>(nodes.size());
    nodes.push_back({symbol, place - 1, place + 1, end});
  };
  const auto symbol_in = [](const auto& table, const auto& key) {
    const auto found = table.find(key);
    return found == table.end() ? unknown : found->second;
  };
  for (size_t i = 0; i < word.size(); ++i) {
    const bool is_last = i + 1 == word.size() && !end_is_a_symbol_;
    push(symbol_in(is_last ? last_characters_ : characters_, word[i]), i + 1);
  }
  if (end_is_a_symbol_) push(symbol_in(symbols_, std::string(end_of_word)), word.size());
  if (!nodes.empty()) nodes.back().next = -1;
  return nodes;
}

// All places of a pair are merged, from left to right, before the next pair is looked for.
template <typename Drops>
std::vector<size_t> BpeMerges::split(std::u32string_view word, const Drops& drops) const {
  std::vector<Node> nodes = nodes_of(word);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  std::vector<Candidate> proposed;
  const auto propose = [&](int left) {
    if (left < 0 || nodes[left].next < 0) return;
    const Symbol first = nodes[left].symbol, second = nodes[nodes[left].next].symbol;
    if (const Merge* merge = find(first, second))
      proposed.push_back({merge->rank, left, first, second});
  };
  for (size_t i = 0; i < nodes.size(); ++i) propose(static_cast<int>(i));
  constexpr Symbol merged_away = -2;
  while (!queue.empty() || !proposed.empty()) {
    for (const Candidate& candidate : proposed) queue.push(candidate);
    proposed.clear();
    const int32_t rank = queue.top().rank;
    for (; !queue.empty() && queue.top().rank == rank;) {
      const Candidate candidate = queue.top();
      queue.pop();
      Node& left = nodes[candidate.left];
      if (left.symbol != candidate.first || left.next < 0) continue;
      Node& right = nodes[left.next];
      if (right.symbol != candidate.second || drops()) continue;
      left.symbol = find(candidate.first, candidate.second)->symbol;
      left.end = right.end;
      left.next = right.next;
      right.symbol = merged_away;
      if (left.next >= 0) nodes[left.next].previous = candidate.left;
      propose(left.previous);
      propose(candidate.left);
    }
  }
  std::vector<size_t> ends;
  for (int i = 0; !nodes.empty() && i >= 0; i = nodes[i].next)
    if (ends.empty() || nodes[i].end > ends.back()) ends.push_back(nodes[i].end);
  return ends;
}

std::vector<size_t> BpeMerges::split(std::u32string_view word) const {
  return split(word, [] { return false; });
}

std::vector<size_t> BpeMerges::sample(std::u32string_view word, double dropout, Rng& rng) const {
  return split(word, [&] { return rng.uniform() < dropout; });
}

}  // namespace heed
