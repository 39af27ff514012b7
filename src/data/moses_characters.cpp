#include "heed/data/moses_characters.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <span>

#include "heed/base/character_range.h"

namespace heed::moses {

namespace {

constexpr char32_t dotted_circle = 0x25CC;

// Whether a version of Unicode knew the character. Later ones would give other pieces than those
// that models were trained with.
bool is_known_since(char32_t character, uint8_t version) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(character), age);
  return age[0] != 0 && age[0] <= version;
}

// Characters that became letters after Unicode 7: vowel signs and tone marks.
constexpr CharacterRange later_letters[] = {{0x0F82, 0x0F83}, {0x1063, 0x1064}, {0x1069, 0x106D},
                                            {0x1087, 0x108D}, {0x108F, 0x108F}, {0x109A, 0x109B},
                                            {0x1C36, 0x1C36}, {0xA802, 0xA802}, {0xA80B, 0xA80B},
                                            {0xA9E5, 0xA9E5}, {0xAA7B, 0xAA7D}};

constexpr CharacterRange joining_signs[] = {
    {0x093C, 0x093C},   {0x094D, 0x094D},   {0x09BC, 0x09BC},   {0x09CD, 0x09CD},
    {0x0A3C, 0x0A3C},   {0x0A4D, 0x0A4D},   {0x0ABC, 0x0ABC},   {0x0ACD, 0x0ACD},
    {0x0AFD, 0x0AFF},   {0x0B3C, 0x0B3C},   {0x0B4D, 0x0B4D},   {0x0BCD, 0x0BCD},
    {0x0C4D, 0x0C4D},   {0x0CBC, 0x0CBC},   {0x0CCD, 0x0CCD},   {0x0D3B, 0x0D3C},
    {0x0D4D, 0x0D4D},   {0x0DCA, 0x0DCA},   {0x0EBA, 0x0EBA},   {0x1039, 0x1039},
    {0x1714, 0x1714},   {0x1BAB, 0x1BAB},   {0x1C37, 0x1C37},   {0xA8C4, 0xA8C4},
    {0xA8F3, 0xA8F4},   {0xA953, 0xA953},   {0xAAF6, 0xAAF6},   {0x10A3F, 0x10A3F},
    {0x11046, 0x11046}, {0x110B9, 0x110BA}, {0x11133, 0x11133}, {0x11173, 0x11173},
    {0x111C0, 0x111C0}, {0x111CA, 0x111CA}, {0x11235, 0x11236}, {0x112E9, 0x112EA},
    {0x1133C, 0x1133C}, {0x1134D, 0x1134D}, {0x11442, 0x11442}, {0x11446, 0x11446},
    {0x114C2, 0x114C3}, {0x115BF, 0x115C0}, {0x1163F, 0x1163F}, {0x116B6, 0x116B7},
    {0x11839, 0x1183A}, {0x119E0, 0x119E0}, {0x11A34, 0x11A34}, {0x11C3F, 0x11C3F},
    {0x11D42, 0x11D42}, {0x11D45, 0x11D45}, {0x11D97, 0x11D97}, {0x1E94A, 0x1E94A}};

constexpr CharacterRange cjk_blocks[] = {{0x1100, 0x11FF},   {0x2E80, 0xA4CF},   {0xA840, 0xA87F},
                                         {0xAC00, 0xD7AF},   {0xF900, 0xFAFF},   {0xFE30, 0xFE4F},
                                         {0xFF65, 0xFFDC},   {0x17000, 0x18AFF}, {0x1B000, 0x1B12F},
                                         {0x1B170, 0x1B2FF}, {0x20000, 0x2FFFF}};

constexpr CharacterRange georgian_letters = {0x10D0, 0x10FF};
constexpr CharacterRange modifiers_of_tone = {0xA700, 0xA707};
constexpr CharacterRange hangul_syllables = {0xAC00, 0xD7A3};

constexpr bool is_in(const CharacterRange& range, char32_t character) {
  return range.first <= character && character <= range.last;
}

bool is_script(char32_t character, UScriptCode script) {
  UErrorCode status = U_ZERO_ERROR;
  return uscript_getScript(static_cast<UChar32>(character), &status) == script;
}

// Also of characters that several scripts use.
bool is_used_in(char32_t character, UScriptCode script) {
  return is_known_since(character, 9) &&
         uscript_hasScript(static_cast<UChar32>(character), script) != 0;
}

bool is_of_first_plane(char32_t character) {
  return character < 0x10000 && is_known_since(character, 7) &&
         !is_script(character, USCRIPT_HAN) && !is_in(hangul_syllables, character);
}

}  // namespace

bool is_letter(char32_t character) {
  if (character < 0x80)
    return (character >= U'a' && character <= U'z') || (character >= U'A' && character <= U'Z');
  constexpr char32_t gemination_mark = 0x135F;  // a letter in Unicode 7, and no longer
  if (character == dotted_circle || character == gemination_mark) return true;
  return is_of_first_plane(character) &&
         u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_ALPHABETIC) != 0 &&
         !within(later_letters, character);
}

bool is_digit(char32_t character) {
  if (character < 0x80) return character >= U'0' && character <= U'9';
  return is_of_first_plane(character) &&
         u_charType(static_cast<UChar32>(character)) == U_DECIMAL_DIGIT_NUMBER;
}

bool is_number(char32_t character) {
  if (character < 0x80) return is_digit(character);
  return is_of_first_plane(character) &&
         (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_N_MASK) != 0;
}

bool is_lowercase(char32_t character) {
  if (character < 0x80) return character >= U'a' && character <= U'z';
  if (character == dotted_circle) return true;
  // Georgian had only one case then.
  return is_known_since(character, 9) && !is_in(georgian_letters, character) &&
         u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_LOWERCASE) != 0;
}

bool is_currency(char32_t character) {
  if (character < 0x80) return character == U'$';
  return is_known_since(character, 7) &&
         u_charType(static_cast<UChar32>(character)) == U_CURRENCY_SYMBOL;
}

bool is_letter_of(std::string_view language, char32_t character) {
  const bool chinese = language == "zh", japanese = language == "ja", korean = language == "ko";
  if (korean) return is_used_in(character, USCRIPT_HANGUL);
  if (!chinese && !japanese) return false;
  if (character == dotted_circle) return true;
  if (is_used_in(character, USCRIPT_HAN) && !is_in(modifiers_of_tone, character)) return true;
  return japanese &&
         (is_used_in(character, USCRIPT_HIRAGANA) || is_used_in(character, USCRIPT_KATAKANA));
}

bool is_joining_sign(char32_t character) {
  return character >= 0x80 && within(joining_signs, character);
}

bool is_cjk(char32_t character) { return character >= 0x80 && within(cjk_blocks, character); }

}  // namespace heed::moses
