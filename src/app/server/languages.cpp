#include "heed/server/languages.h"

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "heed/base/characters.h"
#include "heed/base/text.h"
#include "heed/base/utf8_bytes.h"
#include "heed/server/http_text.h"

namespace heed {

namespace {

constexpr size_t enough_to_detect = size_t{1} << 16;

// At most so many bytes of the text, and no half character.
size_t cut_at_character(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text.size();
  while (bytes > 0 && is_inside_character(text[bytes])) --bytes;
  return bytes;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "CHINESE" -> "Chinese"
std::string capitalised(std::string_view name) {
  std::string text = lower_case(name);
  std::ranges::replace(text, '_', ' ');
  if (!text.empty() && is_letter(text[0])) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// CLD2 knows some languages by older codes, or with a script.
std::string detected_code(CLD2::Language language) {
  std::string code = lower_case(CLD2::LanguageCode(language));
  if (code == "iw") return "he";
  if (code == "jw") return "jv";
  if (code == "no") return "nb";
  return code;
}

// The one of `among` that a detected code means, or none.
const std::string* meant(const std::string& code, const std::vector<std::string>& among) {
  const auto is_it = [&](const std::string& candidate) { return lower_case(candidate) == code; };
  auto found = std::ranges::find_if(among, is_it);
  if (found == among.end()) {
    const std::string base = base_language(code);
    found = std::ranges::find_if(among, [&](const std::string& candidate) {
      const std::string own = base_language(candidate);
      return own == base || (base == "nb" && own == "no");
    });
  }
  return found == among.end() ? nullptr : &*found;
}

// Bytes of letters; characters of scripts that have many of them tell more, and have more bytes.
size_t count_letter_bytes(std::string_view text, size_t enough) {
  size_t bytes = 0;
  while (!text.empty() && bytes < enough) {
    const size_t before = text.size();
    const std::optional<char32_t> c = take_character(text);
    if (c && is_part_of_word(*c)) bytes += before - text.size();
  }
  return bytes;
}

}  // namespace

std::string language_name(std::string_view code) {
  const std::string base = base_language(code);
  const CLD2::Language language = CLD2::GetLanguageFromName(base.c_str());
  if (language == CLD2::UNKNOWN_LANGUAGE) return std::string(code);
  std::string name = capitalised(CLD2::LanguageName(language));
  if (code.size() > base.size()) name += " (" + std::string(code.substr(base.size() + 1)) + ")";
  return name;
}

bool is_language_code(std::string_view code) {
  const size_t base = std::min(code.find_first_of("-_"), code.size());
  if (base < 2 || base > 3 || code.size() > 32) return false;
  if (!std::ranges::all_of(code.substr(0, base), is_letter)) return false;
  if (code.size() == base) return true;
  const std::string_view rest = code.substr(base + 1);
  return !rest.empty() && std::ranges::all_of(rest, [](char c) {
    return is_letter(c) || c == '-' || (c >= '0' && c <= '9');
  });
}

std::string base_language(std::string_view code) {
  return lower_case(code.substr(0, code.find_first_of("-_")));
}

std::vector<DetectedLanguage> detect_languages(std::string_view text,
                                               const std::vector<std::string>& among) {
  std::string hint;
  for (const std::string& code : among) hint += (hint.empty() ? "" : ",") + base_language(code);
  const CLD2::CLDHints hints = {hint.c_str(), nullptr, CLD2::UNKNOWN_ENCODING,
                                CLD2::UNKNOWN_LANGUAGE};
  constexpr int best_effort = 0x4000;  // short texts, too
  // What CLD2 takes for no text leaves them as they are.
  std::array<CLD2::Language, 3> languages;
  languages.fill(CLD2::UNKNOWN_LANGUAGE);
  std::array<int, 3> percents = {};
  std::array<double, 3> scores = {};
  int bytes = 0, valid = 0;
  bool is_reliable = false;
  text = text.substr(0, cut_at_character(text, enough_to_detect));
  CLD2::ExtDetectLanguageSummaryCheckUTF8(text.data(), static_cast<int>(text.size()), true, &hints,
                                          best_effort, languages.data(), percents.data(),
                                          scores.data(), nullptr, &bytes, &is_reliable, &valid);
  std::vector<DetectedLanguage> found;
  for (size_t i = 0; i < languages.size(); ++i) {
    if (languages[i] == CLD2::UNKNOWN_LANGUAGE || percents[i] == 0) continue;
    const std::string* code = meant(detected_code(languages[i]), among);
    if (code == nullptr) continue;
    const auto again = std::ranges::find(found, *code, &DetectedLanguage::code);
    if (again == found.end())
      found.push_back({*code, static_cast<double>(percents[i])});
    else
      again->confidence += percents[i];
  }
  // The shares are of the text; half of it is in doubt if CLD2 is.
  if (!is_reliable)
    for (DetectedLanguage& language : found) language.confidence /= 2;
  if (found.empty()) found.push_back({among.front(), 0});
  return found;
}

DetectedLanguage detect_source(std::string_view text, const std::vector<std::string>& sources,
                               const std::string& target) {
  constexpr size_t enough_to_be_sure = 20;  // English captions of fewer letters pass for German
  constexpr double sure = 50;
  std::vector<std::string> others, all;
  std::ranges::copy_if(sources, std::back_inserter(others),
                       [&](const std::string& source) { return source != target; });
  if (others.empty()) return detect_languages(text, sources).front();
  all = others;
  all.push_back(target);
  DetectedLanguage found = detect_languages(text, all).front();
  const bool is_sure =
      found.confidence > sure && count_letter_bytes(text, enough_to_be_sure) >= enough_to_be_sure;
  return found.code != target || is_sure ? found : detect_languages(text, others).front();
}

}  // namespace heed
