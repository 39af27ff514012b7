#include "heed/app/cli/translation_counts.h"

#include <algorithm>

namespace heed {

void TranslationCounts::add(std::span<const Translation> ranked, const TranslationFormat& format) {
  ++translations;
  if (ranked.empty()) return;
  in_parts += ranked.front().parts > 1;
  cut += ranked.front().hypothesis.cut;
  without_terms += !ranked.front().missing.empty();
  unaligned += format.alignment == AlignmentFormat::soft &&
               !std::ranges::all_of(ranked, has_few_weights, &Translation::alignment);
}

void TranslationCounts::add(const TranslationCounts& others) {
  translations += others.translations;
  in_parts += others.in_parts;
  cut += others.cut;
  without_terms += others.without_terms;
  unaligned += others.unaligned;
}

}  // namespace heed
