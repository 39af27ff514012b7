#include "heed/data/piece_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "sample_text.h"

namespace heed {
namespace {

using Prefixes = std::vector<std::pair<size_t, int32_t>>;

Prefixes prefixes_of(const PieceTrie& trie, std::string_view text) {
  Prefixes found;
  trie.for_each_prefix(text, [&](size_t length, int32_t id) { found.emplace_back(length, id); });
  return found;
}

TEST(PieceTrie, FindsEveryPrefixTheShortestFirst) {
  PieceTrie trie;
  trie.add("abc", 3);
  trie.add("a", 0);
  trie.add("b", 7);
  EXPECT_EQ(prefixes_of(trie, "abcd"), (Prefixes{{1, 0}, {3, 3}}));
  EXPECT_EQ(prefixes_of(trie, "ab"), (Prefixes{{1, 0}}));
  EXPECT_EQ(prefixes_of(trie, "x"), Prefixes{});
  EXPECT_EQ(prefixes_of(trie, ""), Prefixes{});
  EXPECT_EQ(trie.find("ab"), std::nullopt);
  EXPECT_EQ(trie.find("abc"), 3);
  EXPECT_EQ(trie.find(""), std::nullopt);
}

TEST(PieceTrie, OfTwoEqualPiecesTheLastCounts) {
  PieceTrie trie;
  trie.add("a", 1);
  trie.add("a", 2);
  EXPECT_EQ(trie.find("a"), 2);
}

TEST(PieceTrie, HoldsManyPiecesOfAnyBytes) {
  PieceTrie trie;
  std::map<std::string, int32_t> pieces;
  for (int32_t i = 0; i < 20000; ++i) {
    const std::string piece =
        testing::made_up_sentence(static_cast<uint64_t>(i)) + static_cast<char>(i % 256);
    pieces[piece] = i;
    trie.add(piece, i);
  }
  for (const auto& [piece, id] : pieces) ASSERT_EQ(trie.find(piece), id);
}

}  // namespace
}  // namespace heed
