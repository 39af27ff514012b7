// Byte-pair encoding as subword-nmt learns it (Sennrich et al., 2016): a list of merges, which join
// the characters of a word into pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/base/random.h"

namespace heed {

class BpeMerges {
 public:
  // The text of a file of codes, version 0.1 or 0.2: two symbols in each line, the most frequent
  // merge first. An Error that begins with `name` says what is none.
  static BpeMerges parse(std::string_view text, std::string_view name);

  // Where the pieces of a word end, in characters.
  std::vector<size_t> split(std::u32string_view word) const;
  // Each merge is left out with this probability.
  std::vector<size_t> sample(std::u32string_view word, double dropout, Rng& rng) const;

 private:
  using Symbol = int32_t;
  static constexpr Symbol unknown = -1;

  struct Merge {
    int32_t rank;
    Symbol symbol;  // that it makes
  };
  struct Node;
  struct Candidate;

  BpeMerges() = default;
  void add(std::string_view left, std::string_view right);
  Symbol symbol_of(const std::string& text);
  const Merge* find(Symbol left, Symbol right) const;
  std::vector<Node> nodes_of(std::u32string_view word) const;
  template <typename Drops>
  std::vector<size_t> split(std::u32string_view word, const Drops& drops) const;

  bool end_is_a_symbol_ = false;  // version 0.1; otherwise it is a part of the last character
  int32_t ranks_ = 0;
  std::unordered_map<std::string, Symbol> symbols_;
  std::unordered_map<char32_t, Symbol> characters_, last_characters_;
  std::unordered_map<uint64_t, Merge> merges_;
};

}  // namespace heed
