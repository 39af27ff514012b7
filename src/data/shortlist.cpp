#include "heed/data/shortlist.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/data/vocabulary.h"

namespace heed {

Shortlist::Shortlist(ShortlistLists lists, int64_t source_vocabulary, int64_t target_vocabulary,
                     std::string_view name)
    : lists_(std::move(lists)), target_vocabulary_(target_vocabulary) {
  require(static_cast<int64_t>(lists_.offsets.size()) == source_vocabulary + 1,
          "{}: {} offsets but {} were expected for {} source words", name, lists_.offsets.size(),
          source_vocabulary + 1, source_vocabulary);
  require(!lists_.with_source || source_vocabulary == target_vocabulary,
          "{}: source words are to be candidates, but the vocabularies have {} and {} words", name,
          source_vocabulary, target_vocabulary);
  require(lists_.offsets.front() == 0 && std::ranges::is_sorted(lists_.offsets) &&
              lists_.offsets.back() == static_cast<int64_t>(lists_.targets.size()),
          "{}: the offsets do not go from 0 to the {} candidates", name, lists_.targets.size());
  for (const std::vector<int32_t>* list : {&lists_.frequent, &lists_.targets})
    for (const int32_t id : *list)
      require(id >= 0 && id < target_vocabulary, "{}: id {} but the vocabulary has {} words", name,
              id, target_vocabulary);
}

std::vector<int32_t> Shortlist::candidates(std::span<const int32_t> source,
                                           std::span<const int32_t> more) const {
  constexpr size_t multiple = 8;
  std::vector<bool> chosen(static_cast<size_t>(target_vocabulary_), false);
  chosen[Vocabulary::end] = true;
  for (const int32_t id : lists_.frequent) chosen[static_cast<size_t>(id)] = true;
  for (const int32_t id : more) chosen[static_cast<size_t>(id)] = true;
  for (const int32_t word : source) {
    const auto place = static_cast<size_t>(word);
    if (lists_.with_source) chosen[place] = true;
    for (int64_t i = lists_.offsets[place]; i < lists_.offsets[place + 1]; ++i)
      chosen[static_cast<size_t>(lists_.targets[static_cast<size_t>(i)])] = true;
  }
  auto count = static_cast<size_t>(std::ranges::count(chosen, true));
  for (size_t id = 0; id < chosen.size() && count % multiple != 0; ++id) {
    count += !chosen[id];
    chosen[id] = true;
  }
  std::vector<int32_t> ids;
  ids.reserve(count);
  for (size_t id = 0; id < chosen.size(); ++id)
    if (chosen[id]) ids.push_back(static_cast<int32_t>(id));
  return ids;
}

}  // namespace heed
