// Languages by their codes, and which one a text is in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// "en" -> "English"; a code that nobody knows is its own name.
std::string language_name(std::string_view code);

// Whether this looks like "en", "deu" or "zh-Hans".
bool is_language_code(std::string_view code);

// "en-US" -> "en", in lower case.
std::string base_language(std::string_view code);

struct DetectedLanguage {
  std::string code;
  double confidence = 0;  // 0 … 100
};

// Which of these languages (at least one) the text may be in, the likeliest first. If it seems to
// be in none of them, the first of them, with confidence 0.
std::vector<DetectedLanguage> detect_languages(std::string_view text,
                                               const std::vector<std::string>& among);

// The language of a text that is to be translated to `target`: one of `sources` (at least one), or
// the target itself if the text is beyond doubt in it. A few words may be in any language, and
// whoever wants them translated knows that they are in another.
DetectedLanguage detect_source(std::string_view text, const std::vector<std::string>& sources,
                               const std::string& target);

}  // namespace heed
