#include "heed/folders/ctranslate2_vmap.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/data/vocabulary.h"

namespace heed::ctranslate2 {

namespace {

using Ids = std::map<std::string_view, int32_t>;

Ids ids_of(TokensById tokens) {
  Ids ids;
  for (size_t id = 0; id < tokens.size(); ++id)
    if (!tokens[id].empty()) ids.emplace(tokens[id], static_cast<int32_t>(id));
  return ids;
}

std::string_view take_token(std::string_view& rest) {
  const size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view token = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return token;
}

std::set<int32_t> known_tokens(std::string_view list, const Ids& ids) {
  std::set<int32_t> known;
  while (!list.empty())
    if (const auto found = ids.find(take_token(list)); found != ids.end())
      known.insert(found->second);
  return known;
}

}  // namespace

std::optional<Shortlist> read_vmap(const std::filesystem::path& folder, TokensById source,
                                   TokensById target) {
  const std::filesystem::path path = folder / "vmap.txt";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const Ids source_ids = ids_of(source), target_ids = ids_of(target);
  const MappedFile file(path);
  // CTranslate2 always takes the unknown word.
  std::set<int32_t> frequent = {Vocabulary::unknown};
  std::map<int32_t, std::set<int32_t>> candidates;
  int64_t number = 0;
  for (std::string_view rest = file.text(); !rest.empty();) {
    const std::string_view line = take_line(rest);
    ++number;
    const size_t tab = line.find('\t');
    require(tab != line.npos && line.find('\t', tab + 1) == line.npos,
            "{}: line {} has no tab, or several, but source tokens, a tab and target tokens were "
            "expected",
            path.string(), number);
    std::string_view key = line.substr(0, tab);
    std::set<int32_t> found = known_tokens(line.substr(tab + 1), target_ids);
    if (key.empty()) {
      frequent.merge(found);
    } else if (const auto word = source_ids.find(take_token(key)); word != source_ids.end()) {
      candidates[word->second].merge(found);
    }
  }
  ShortlistLists lists;
  lists.frequent.assign(frequent.begin(), frequent.end());
  lists.offsets = {0};
  for (size_t id = 0; id < source.size(); ++id) {
    const std::set<int32_t>& found = candidates[static_cast<int32_t>(id)];
    lists.targets.insert(lists.targets.end(), found.begin(), found.end());
    lists.offsets.push_back(static_cast<int64_t>(lists.targets.size()));
  }
  return Shortlist(std::move(lists), static_cast<int64_t>(source.size()),
                   static_cast<int64_t>(target.size()), path.string());
}

std::string vmap_text(const Shortlist& shortlist, TokensById source, TokensById target) {
  const ShortlistLists& lists = shortlist.lists();
  std::string text;
  const auto add_line = [&](std::string_view key, const std::set<int32_t>& ids) {
    std::vector<std::string_view> tokens;
    for (const int32_t id : ids)
      if (!target[static_cast<size_t>(id)].empty())
        tokens.emplace_back(target[static_cast<size_t>(id)]);
    text += fmt::format("{}\t{}\n", key, fmt::join(tokens, " "));
  };
  // Even if it is empty: CTranslate2 looks for a line without a source token.
  add_line("", {lists.frequent.begin(), lists.frequent.end()});
  for (size_t id = 0; id < source.size(); ++id) {
    std::set<int32_t> found(lists.targets.begin() + lists.offsets[id],
                            lists.targets.begin() + lists.offsets[id + 1]);
    if (lists.with_source) found.insert(static_cast<int32_t>(id));
    if (!source[id].empty() && !found.empty()) add_line(source[id], found);
  }
  return text;
}

}  // namespace heed::ctranslate2
