// Who sees whom: the ranges of keys of a block of queries, and what follows from them for a block of keys. Tiles that
// nobody sees are not computed, and only the ragged edges of the others are masked.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_SIGHT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_SIGHT_INL_H_
#undef HEED_KERNELS_ATTENTION_SIGHT_INL_H_
#else
#define HEED_KERNELS_ATTENTION_SIGHT_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "heed/kernels/attention.h"
#include "heed/kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

// A tile of scores is at most this large. It and the blocks of operands beside it should fit the first-level cache.
constexpr int64_t kQueryBlock = 64;
constexpr int64_t kKeyBlock = 64;
constexpr int64_t kBlockVectors = kQueryBlock / kLanes;

inline bool empty(KeyRange range) { return range.begin >= range.end; }
inline KeyRange common(KeyRange a, KeyRange b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }
inline KeyRange around(KeyRange a, KeyRange b) {
  if (empty(a)) return b;
  if (empty(b)) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// The keys that the queries of a block see, by query and by vector of queries.
struct QuerySight {
  int64_t queries = 0;
  int64_t vectors = 0;
  bool everything = true;  // every query sees every key
  KeyRange any;            // from the first to the last key that some query sees
  KeyRange some[kBlockVectors];  // the same, by vector
  KeyRange all[kBlockVectors];   // the keys that every query of the vector sees
  KeyRange one[kQueryBlock];     // the keys of each query; absent if everything is seen

  void look(const AttentionHead<float>& head, int64_t first, int64_t count) {
    queries = count;
    vectors = whole_vectors(count);
    everything = head.ranges.empty();
    any = {0, head.keys.rows};
    if (everything) return;
    any = {};
    for (int64_t v = 0; v < vectors; ++v) {
      some[v] = {};
      all[v] = {0, head.keys.rows};
      for (int64_t q = v * kLanes; q < std::min((v + 1) * kLanes, count); ++q) {
        one[q] = head.ranges[static_cast<size_t>(first + q)];
        some[v] = around(some[v], one[q]);
        all[v] = common(all[v], one[q]);
      }
      any = around(any, some[v]);
    }
  }
};

// What a block of queries sees of a block of keys. Keys count from the first of their block.
struct BlockSight {
  int64_t queries = 0;
  int64_t vectors = 0;
  bool everything = true;
  KeyRange any;
  KeyRange some[kBlockVectors];
  KeyRange all[kBlockVectors];
  KeyRange one[kQueryBlock];

  void look(const QuerySight& sight, KeyRange keys) {
    const KeyRange whole = {0, keys.end - keys.begin};
    const auto within = [&](KeyRange range) {
      return common({range.begin - keys.begin, range.end - keys.begin}, whole);
    };
    queries = sight.queries;
    vectors = sight.vectors;
    everything = true;
    any = whole;
    for (int64_t v = 0; v < vectors; ++v) {
      all[v] = sight.everything ? whole : within(sight.all[v]);
      some[v] = sight.everything ? whole : within(sight.some[v]);
      everything = everything && all[v].begin == 0 && all[v].end == whole.end;
    }
    if (everything) return;
    any = {};
    for (int64_t v = 0; v < vectors; ++v) any = around(any, some[v]);
    for (int64_t q = 0; q < queries; ++q) one[q] = within(sight.one[q]);
  }

  // The vectors of queries [first, last) that see some of the given keys.
  Pieces::Piece vectors_of(Pieces::Piece keys) const {
    Pieces::Piece seeing = {0, vectors};
    if (everything) return seeing;
    const auto sees = [&](int64_t v) { return !empty(common(some[v], {keys.begin, keys.end})); };
    while (seeing.begin < seeing.end && !sees(seeing.begin)) ++seeing.begin;
    while (seeing.begin < seeing.end && !sees(seeing.end - 1)) --seeing.end;
    return seeing;
  }

  // The queries [first, last) that see some of the given keys.
  Pieces::Piece queries_of(Pieces::Piece keys) const {
    if (everything) return {0, queries};
    const Pieces::Piece seeing_vectors = vectors_of(keys);
    Pieces::Piece seeing = {seeing_vectors.begin * kLanes, std::min(seeing_vectors.end * kLanes, queries)};
    const auto sees = [&](int64_t q) { return !empty(common(one[q], {keys.begin, keys.end})); };
    while (seeing.begin < seeing.end && !sees(seeing.begin)) ++seeing.begin;
    while (seeing.begin < seeing.end && !sees(seeing.end - 1)) --seeing.end;
    return seeing;
  }

  // From the first to the last key that some of the given queries see.
  KeyRange keys_of(Pieces::Piece seeing) const {
    if (everything) return any;
    KeyRange seen = {};
    for (int64_t q = seeing.begin; q < seeing.end; ++q) seen = around(seen, one[q]);
    return seen;
  }
};

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
