#include "heed/data/subword_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "heed/base/text.h"

namespace heed {

namespace {

size_t first_character_bytes(std::string_view text) {
  std::string_view rest = text;
  take_character(rest);
  return text.size() - rest.size();
}

// ln(eᵃ + eᵇ), where one of them may be -∞.
double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return std::isinf(b) ? a : a + std::log1p(std::exp(b - a));
}

// A piece in the text, linked to the previous one that ends at the same position.
struct LatticeEdge {
  size_t begin;
  double score;
  int before;
};

// All segmentations of a text, with the log-weight of all paths to each position.
struct Lattice {
  explicit Lattice(size_t size)
      : weight(size + 1, -std::numeric_limits<double>::infinity()), last(size + 1, -1) {
    weight[0] = 0;
  }

  void add(size_t begin, size_t end, double score) {
    edges.push_back({begin, score, last[end]});
    last[end] = static_cast<int>(edges.size()) - 1;
    weight[end] = log_add(weight[end], weight[begin] + score);
  }

  // An edge that ends at `end`, drawn in proportion to its weight.
  size_t draw_begin(size_t end, Rng& rng) const {
    double left = rng.uniform();
    int drawn = last[end];
    for (int e = drawn; e >= 0; e = edges[e].before) {
      drawn = e;
      const LatticeEdge& edge = edges[e];
      left -= std::exp(weight[edge.begin] + edge.score - weight[end]);
      if (left < 0) break;
    }
    return edges[drawn].begin;
  }

  std::vector<double> weight;
  std::vector<int> last;  // the last edge of the list that ends at a place
  std::vector<LatticeEdge> edges;
};

struct Symbol {
  std::string_view text;  // empty once merged into the previous one
  int previous;
  int next;
};

struct Merge {
  float score;
  int left;
  int right;
  size_t bytes;  // of both when it was found; if it differs later, one of them has grown

  // Best score first, then leftmost.
  bool operator<(const Merge& other) const {
    return score != other.score ? score < other.score : left > other.left;
  }
};

std::vector<Symbol> symbols_of(std::string_view text) {
  std::vector<Symbol> symbols;
  while (!text.empty()) {
    const size_t bytes = first_character_bytes(text);
    const int index = static_cast<int>(symbols.size());
    symbols.push_back({text.substr(0, bytes), index - 1, index + 1});
    text.remove_prefix(bytes);
  }
  if (!symbols.empty()) symbols.back().next = -1;
  return symbols;
}

std::string_view joined(const Symbol& left, const Symbol& right) {
  return {left.text.data(), left.text.size() + right.text.size()};
}

// Joins the second symbol to the first.
void join(std::vector<Symbol>& symbols, int left, int right) {
  Symbol& grown = symbols[left];
  Symbol& gone = symbols[right];
  grown.text = joined(grown, gone);
  grown.next = gone.next;
  if (gone.next >= 0) symbols[gone.next].previous = left;
  gone.text = {};
}

}  // namespace

SubwordSampler::SubwordSampler(const SentencePieceModel& model) : kind_(model.kind) {
  double lowest = 0;
  can_sample_ = kind_ == VocabularyKind::unigram || kind_ == VocabularyKind::bpe;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const ModelPiece& piece = model.pieces[i];
    const int32_t id = static_cast<int32_t>(i);
    scores_.push_back(piece.score);
    if (piece.type == PieceType::normal) {
      trie_.add(piece.text, id);
      lowest = std::min<double>(lowest, piece.score);
    }
    if (piece.type == PieceType::unknown) unknown_ = id;
    if (piece.type == PieceType::user_defined) can_sample_ = false;
    if (piece.type == PieceType::byte) {
      has_bytes_ = true;
      bytes_[piece.byte] = id;
    }
  }
  constexpr double unknown_penalty = 10;  // as SentencePiece has it
  unknown_score_ = lowest - unknown_penalty;
}

std::vector<int32_t> SubwordSampler::sample(std::string_view text, double alpha,
                                            RandomKey key) const {
  Rng rng(key);
  return ids_of(kind_ == VocabularyKind::bpe ? sample_bpe(text, alpha, rng)
                                             : sample_unigram(text, alpha, rng));
}

// Forward filtering, backward sampling: sum the weights of all paths from the start, then draw
// piece by piece from the end.
std::vector<std::string_view> SubwordSampler::sample_unigram(std::string_view text, double alpha,
                                                             Rng& rng) const {
  Lattice lattice(text.size());
  for (size_t begin = 0; begin < text.size();) {
    const size_t character = first_character_bytes(text.substr(begin));
    bool known = false;
    trie_.for_each_prefix(text.substr(begin), [&](size_t length, int32_t id) {
      lattice.add(begin, begin + length, alpha * scores_[id]);
      known = known || length == character;
    });
    if (!known) lattice.add(begin, begin + character, alpha * unknown_score_);
    begin += character;
  }
  std::vector<std::string_view> parts;
  for (size_t end = text.size(); end > 0;) {
    const size_t begin = lattice.draw_begin(end, rng);
    parts.push_back(text.substr(begin, end - begin));
    end = begin;
  }
  std::ranges::reverse(parts);
  return parts;
}

std::vector<std::string_view> SubwordSampler::sample_bpe(std::string_view text, double alpha,
                                                         Rng& rng) const {
  std::vector<Symbol> symbols = symbols_of(text);
  std::priority_queue<Merge> merges;
  const auto propose = [&](int left, int right) {
    if (left < 0 || right < 0) return;
    const std::string_view both = joined(symbols[left], symbols[right]);
    if (const std::optional<int32_t> id = trie_.find(both))
      merges.push({scores_[*id], left, right, both.size()});
  };
  for (int i = 1; i < static_cast<int>(symbols.size()); ++i) propose(i - 1, i);
  while (!merges.empty()) {
    const Merge merge = merges.top();
    merges.pop();
    const Symbol& left = symbols[merge.left];
    const Symbol& right = symbols[merge.right];
    const bool stale = left.text.empty() || right.text.empty() ||
                       left.text.size() + right.text.size() != merge.bytes;
    if (stale || rng.uniform() < alpha) continue;
    join(symbols, merge.left, merge.right);
    propose(left.previous, merge.left);
    propose(merge.left, left.next);
  }
  std::vector<std::string_view> parts;
  for (const Symbol& symbol : symbols)
    if (!symbol.text.empty()) parts.push_back(symbol.text);
  return parts;
}

std::vector<int32_t> SubwordSampler::ids_of(const std::vector<std::string_view>& parts) const {
  std::vector<int32_t> ids;
  for (const std::string_view part : parts) {
    if (const std::optional<int32_t> id = trie_.find(part))
      ids.push_back(*id);
    else if (has_bytes_)
      for (const char byte : part) ids.push_back(bytes_[static_cast<uint8_t>(byte)]);
    else if (ids.empty() || ids.back() != unknown_)  // SentencePiece also merges several in a row
      ids.push_back(unknown_);
  }
  return ids;
}

}  // namespace heed
