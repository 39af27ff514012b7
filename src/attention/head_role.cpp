#include "heed/attention/head_role.h"

#include <array>
#include <utility>

namespace heed {

namespace {

constexpr double most_errors = 0.5;
constexpr double least_confidence = 0.5, least_coverage = 0.6;  // of a head that aligns
constexpr double least_weight = 0.5;                            // on one place
constexpr double least_positional = 0.9;                        // or of the largest weights
constexpr double least_rare = 0.5;                              // of the largest weights

double weight_on(const HeadFigures& figures, KeyPlace place) {
  return figures.share(place) ? figures.share(place)->weight : 0.0;
}

double largest_on(const HeadFigures& figures, KeyPlace place) {
  return figures.share(place) ? figures.share(place)->largest : 0.0;
}

bool aligns(const HeadFigures& figures, std::optional<double> error_rate) {
  if (error_rate) return *error_rate <= most_errors;
  return figures.confidence >= least_confidence && figures.coverage >= least_coverage;
}

std::optional<HeadRole> positional_role(const HeadFigures& figures) {
  constexpr std::array roles = {std::pair{KeyPlace::previous, HeadRole::previous_word},
                                std::pair{KeyPlace::next, HeadRole::next_word},
                                std::pair{KeyPlace::same, HeadRole::same_word}};
  std::optional<HeadRole> found;
  double most = 0;
  for (const auto& [place, role] : roles) {
    const double largest = largest_on(figures, place);
    if (weight_on(figures, place) < least_weight && largest < least_positional) continue;
    if (found && largest <= most) continue;
    most = largest;
    found = role;
  }
  return found;
}

}  // namespace

std::string_view name_of(HeadRole role) {
  switch (role) {
    case HeadRole::previous_word:
      return "previous word";
    case HeadRole::next_word:
      return "next word";
    case HeadRole::same_word:
      return "same word";
    case HeadRole::aligns:
      return "aligns";
    case HeadRole::end_of_sentence:
      return "end of sentence";
    case HeadRole::start_of_sentence:
      return "start of sentence";
    case HeadRole::rare_words:
      return "rare words";
    case HeadRole::mixed:
      return "mixed";
  }
  __builtin_unreachable();
}

HeadRole role_of(AttentionPart part, const HeadFigures& figures,
                 std::optional<double> alignment_error_rate) {
  if (part == AttentionPart::cross) {
    if (aligns(figures, alignment_error_rate)) return HeadRole::aligns;
  } else if (const std::optional<HeadRole> role = positional_role(figures)) {
    return *role;
  }
  if (weight_on(figures, KeyPlace::end) >= least_weight) return HeadRole::end_of_sentence;
  if (weight_on(figures, KeyPlace::first) >= least_weight) return HeadRole::start_of_sentence;
  if (largest_on(figures, KeyPlace::rare) >= least_rare) return HeadRole::rare_words;
  return HeadRole::mixed;
}

}  // namespace heed
