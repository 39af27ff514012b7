// Visibility: the ranges of keys that a block of queries sees, and what follows for a block of
// keys. Invisible tiles are not computed, and only the ragged edges of the others are masked.
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

// A tile of scores is at most this large. It and the blocks of operands beside it should fit the
// first-level cache.
constexpr int64_t kQueryBlock = 64;
constexpr int64_t kKeyBlock = 64;
constexpr int64_t kBlockVectors = kQueryBlock / kLanes;

// The keys that the queries of a block see, by query and by vector of queries.
struct QuerySight {
  // The range of a query without keys: it begins after and ends before all others, so that it does
  // not widen the union of a vector's ranges, and empties their intersection.
  static constexpr int32_t kNoBegin = std::numeric_limits<int32_t>::max();
  static constexpr int32_t kNoEnd = std::numeric_limits<int32_t>::min();

  int64_t queries;
  int64_t vectors;
  bool everything;          // every query sees every key
  Run any;                  // from the first to the last key that some query sees
  Run some[kBlockVectors];  // the same by vector, unless everything is seen
  Run all[kBlockVectors];   // the keys that every query of the vector sees
  HWY_ALIGN int32_t begins[kQueryBlock];
  HWY_ALIGN int32_t ends[kQueryBlock];

  void look(const AttentionHead<float>& head, int64_t first, int64_t count) {
    queries = count;
    vectors = whole_vectors(count);
    everything = head.ranges.empty();
    any = {0, head.keys.rows};
    if (everything) return;
    any = {kNoBegin, kNoEnd};
    for (int64_t v = 0; v < vectors; ++v) {
      look_at_vector(head.ranges.data() + first, v);
      any = {std::min(any.begin, some[v].begin), std::max(any.end, some[v].end)};
    }
  }

 private:
  void look_at_vector(const KeyRange* ranges, int64_t v) {
    int64_t first_begin = kNoBegin, last_begin = kNoEnd, first_end = kNoBegin, last_end = kNoEnd;
    const int64_t stop = std::min((v + 1) * kLanes, queries);
    for (int64_t q = v * kLanes; q < stop; ++q) {
      const bool none = ranges[q].begin >= ranges[q].end;
      const int64_t begin = none ? kNoBegin : ranges[q].begin;
      const int64_t end = none ? kNoEnd : ranges[q].end;
      begins[q] = static_cast<int32_t>(begin);
      ends[q] = static_cast<int32_t>(end);
      first_begin = std::min(first_begin, begin);
      last_begin = std::max(last_begin, begin);
      first_end = std::min(first_end, end);
      last_end = std::max(last_end, end);
    }
    for (int64_t q = stop; q < (v + 1) * kLanes; ++q) {
      begins[q] = kNoBegin;
      ends[q] = kNoEnd;
    }
    some[v] = {first_begin, last_end};
    all[v] = {last_begin, first_end};
  }
};

// What a block of queries sees of a block of keys. Keys count from the first of their block.
struct BlockSight {
  const QuerySight* sight;
  int64_t queries;
  int64_t vectors;
  int64_t first_key;
  bool everything;
  Run any;
  Run some[kBlockVectors];
  Run all[kBlockVectors];

  void look(const QuerySight& query_sight, Run keys) {
    sight = &query_sight;
    queries = query_sight.queries;
    vectors = query_sight.vectors;
    first_key = keys.begin;
    const Run whole = {0, keys.size()};
    any = whole;
    everything = true;
    if (!query_sight.everything)
      for (int64_t v = 0; v < vectors; ++v)
        everything = everything && query_sight.all[v].begin <= keys.begin &&
                     query_sight.all[v].end >= keys.end;
    if (!everything) any = {keys.size(), 0};
    for (int64_t v = 0; v < vectors; ++v) {
      some[v] = everything ? whole : common(from_first(query_sight.some[v]), whole);
      all[v] = everything ? whole : common(from_first(query_sight.all[v]), whole);
      if (!some[v].empty())
        any = {std::min(any.begin, some[v].begin), std::max(any.end, some[v].end)};
    }
  }

  // The vectors of queries that see some of the given keys.
  Run vectors_of(Run keys) const {
    Run seeing = {0, vectors};
    if (everything) return seeing;
    const auto sees = [&](int64_t v) { return !common(some[v], keys).empty(); };
    while (!seeing.empty() && !sees(seeing.begin)) ++seeing.begin;
    while (!seeing.empty() && !sees(seeing.end - 1)) --seeing.end;
    return seeing;
  }

  // From `key` on, the keys that are seen by the same vectors of queries.
  Run alike(int64_t key) const {
    Run keys = {key, any.end};
    if (everything) return keys;
    for (int64_t v = 0; v < vectors; ++v)
      for (const int64_t edge : {some[v].begin, some[v].end})
        if (edge > key && edge < keys.end) keys.end = edge;
    return keys;
  }

  // The queries that see some of the given keys.
  Run queries_of(Run keys) const {
    if (everything) return {0, queries};
    const Run by_vector = vectors_of(keys);
    Run seeing = {by_vector.begin * kLanes, std::min(by_vector.end * kLanes, queries)};
    const Run absolute = {keys.begin + first_key, keys.end + first_key};
    const auto sees = [&](int64_t q) {
      return !common({sight->begins[q], sight->ends[q]}, absolute).empty();
    };
    while (!seeing.empty() && !sees(seeing.begin)) ++seeing.begin;
    while (!seeing.empty() && !sees(seeing.end - 1)) --seeing.end;
    return seeing;
  }

  // From the first to the last key that some of the given queries see.
  Run keys_of(Run seeing) const {
    if (everything) return any;
    int32_t begin = QuerySight::kNoBegin, end = QuerySight::kNoEnd;
    for (int64_t q = seeing.begin; q < seeing.end; ++q) {
      begin = std::min(begin, sight->begins[q]);
      end = std::max(end, sight->ends[q]);
    }
    return common(from_first({begin, end}), any);
  }

 private:
  Run from_first(Run keys) const { return {keys.begin - first_key, keys.end - first_key}; }
};

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
