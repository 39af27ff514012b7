#include "heed/metrics/alignment_error.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view blanks = " \t\r";

void sort_uniquely(std::vector<WordLink>& links) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

struct ParsedLink {
  WordLink link;
  bool sure;
};

std::optional<ParsedLink> parse_link(std::string_view text, int64_t first) {
  const size_t sign = text.find_first_of("-p");
  if (sign == std::string_view::npos) return std::nullopt;
  const auto number = [&](std::string_view digits) -> std::optional<int64_t> {
    int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, problem] = std::from_chars(digits.data(), end, value);
    if (problem != std::errc() || stopped != end || value < first) return std::nullopt;
    return value - first;
  };
  const std::optional<int64_t> source = number(text.substr(0, sign)),
                               target = number(text.substr(sign + 1));
  if (!source || !target) return std::nullopt;
  return ParsedLink{{*source, *target}, text[sign] == '-'};
}

double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

GoldLinks parse_gold_links(std::string_view line, int64_t first) {
  GoldLinks gold;
  for (size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(blanks, begin)) {
    const size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    const std::string_view text = line.substr(begin, end - begin);
    const std::optional<ParsedLink> parsed = parse_link(text, first);
    require(
        parsed.has_value(),
        "{} is no link: expected SOURCE-TARGET, or SOURCEpTARGET for a possible one, with words "
        "counted from {}",
        Quoted{text}, first);
    if (parsed->sure) gold.sure.push_back(parsed->link);
    gold.possible.push_back(parsed->link);
    begin = end;
  }
  sort_uniquely(gold.sure);
  sort_uniquely(gold.possible);
  return gold;
}

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  found += other.found;
  sure += other.sure;
  found_sure += other.found_sure;
  found_possible += other.found_possible;
  return *this;
}

double AlignmentCounts::precision() const { return ratio(found_possible, found); }

double AlignmentCounts::recall() const { return ratio(found_sure, sure); }

double AlignmentCounts::error_rate() const {
  if (found + sure == 0) return 0.0;
  return 1.0 - ratio(found_sure + found_possible, found + sure);
}

AlignmentCounts count_links(std::span<const WordLink> found, const GoldLinks& gold) {
  std::vector<WordLink> links(found.begin(), found.end());
  sort_uniquely(links);
  const auto common = [&](const std::vector<WordLink>& others) {
    std::vector<WordLink> both;
    std::ranges::set_intersection(links, others, std::back_inserter(both));
    return static_cast<int64_t>(both.size());
  };
  return {.found = static_cast<int64_t>(links.size()),
          .sure = static_cast<int64_t>(gold.sure.size()),
          .found_sure = common(gold.sure),
          .found_possible = common(gold.possible)};
}

}  // namespace heed
