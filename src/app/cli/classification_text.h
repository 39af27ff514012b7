// What `heed classify` writes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/decoding/text_classifier.h"
#include "heed/metrics/classification_scores.h"

namespace heed {

// "LABEL TAB PROBABILITY", as many as `top`, the likeliest first; 0: those that the text was given.
// Then, if there are words, the five that count most.
std::string plain_line(const ClassifiedText& text, std::span<const std::string> labels, int top);

// An object with "label" and "probability", or "labels" where there may be several, and "scores":
// as many labels as `top`, 0 for all, with their probabilities. Then "words", if there are any.
std::string json_line(const ClassifiedText& text, std::span<const std::string> labels, int top,
                      bool several);

// Tables of figures: all together, of each label, and which label was taken for which.
std::string plain_report(const ClassificationScores& scores, std::span<const std::string> labels);
std::string json_report(const ClassificationScores& scores, std::span<const std::string> labels);

}  // namespace heed
