#include "heed/training/looked_up_rows.h"

#include <algorithm>

#include "heed/training/flat_blocks.h"

namespace heed {

namespace {

template <typename Element>
void sort_once(std::vector<Element>& list, auto order) {
  std::ranges::sort(list, order);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

LookedUpRows::LookedUpRows(const PredictingModel& model, const FlatParameters& parameters)
    : model_(model), array_(parameters.array().data<float>()) {
  model.visit_look_ups({}, [&](const Tensor& table, std::span<const int32_t>) {
    const int64_t begin = table.data<float>() - array_;
    if (begin < 0 || begin >= parameters.size()) return;
    const Range part = parameters.range_of(parameters.part_at(begin));
    const auto is_known = [&](const Table& known) { return known.numbers.begin == begin; };
    if (std::ranges::any_of(tables_, is_known)) return;
    tables_.push_back({table, {begin, begin + table.elements()}, part});
  });
  std::ranges::sort(tables_, {}, [](const Table& table) { return table.numbers.begin; });
}

std::vector<Range> LookedUpRows::tables() const {
  std::vector<Range> ranges;
  for (const Table& table : tables_) {
    if (!ranges.empty() && ranges.back().end == table.part.begin)
      ranges.back().end = table.part.end;
    else
      ranges.push_back(table.part);
  }
  return ranges;
}

void LookedUpRows::begin(std::span<const std::vector<Batch>> batches, const Range& own_shards) {
  if (tables_.empty() || batches.empty()) return;
  shards_.resize(batches.front().size());
  gradients_.resize(shards_.size());
  for (size_t index = 0; index < shards_.size(); ++index) {
    ShardRows& shard = shards_[index];
    shard.rows.resize(tables_.size());
    for (std::vector<int32_t>& rows : shard.rows) rows.clear();
    for (const std::vector<Batch>& turn : batches) note_rows(turn[index], shard);
    for (std::vector<int32_t>& rows : shard.rows) sort_once(rows, std::ranges::less());
    const auto place = static_cast<int64_t>(index);
    place_gradients(shard, gradients_[index], place >= own_shards.begin && place < own_shards.end);
  }
}

void LookedUpRows::note_rows(const Batch& batch, ShardRows& shard) const {
  model_.visit_look_ups(batch, [&](const Tensor& table, std::span<const int32_t> rows) {
    const int64_t begin = table.data<float>() - array_;
    for (size_t i = 0; i < tables_.size(); ++i)
      if (tables_[i].numbers.begin == begin)
        shard.rows[i].insert(shard.rows[i].end(), rows.begin(), rows.end());
  });
}

void LookedUpRows::place_gradients(ShardRows& shard, SparseGradient& gradient, bool own) const {
  std::vector<Range> stretches;
  for (size_t i = 0; i < tables_.size(); ++i)
    for (const int32_t row : shard.rows[i]) stretches.push_back(tables_[i].row(row));
  gradient.begin(stretches, own);
  shard.gradients.clear();
  if (!own) return;
  int64_t begin = 0;
  for (size_t i = 0; i < tables_.size(); ++i) {
    const int64_t size = std::ssize(shard.rows[i]) * tables_[i].width();
    shard.gradients.push_back({shard.rows[i], part_of(gradient.values(), {begin, begin + size})});
    begin += size;
  }
}

std::vector<Range> LookedUpRows::rows_of(const Range& shards) const {
  std::vector<Range> rows;
  if (shards_.empty()) return rows;
  for (int64_t shard = shards.begin; shard < shards.end; ++shard) {
    const std::vector<Range>& more = gradients_[static_cast<size_t>(shard)].stretches();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  sort_once(rows, [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return rows;
}

void LookedUpRows::collect(Tape& tape, size_t shard) const {
  for (size_t i = 0; i < tables_.size(); ++i)
    tape.collect_rows(tables_[i].values, &shards_[shard].gradients[i]);
}

size_t LookedUpRows::memory() const {
  size_t bytes = 0;
  for (const SparseGradient& gradient : gradients_) bytes += gradient.values().size_bytes();
  return bytes;
}

}  // namespace heed
