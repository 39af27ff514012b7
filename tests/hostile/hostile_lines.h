// Lines that nobody would want to translate, generated from a seed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/characters.h"
#include "heed/base/random.h"

namespace heed::testing {

// What a line may be made of. None holds a line feed.
class HostilePieces {
 public:
  // Words have at most this many bytes; one in a thousand pieces is that long.
  HostilePieces(uint64_t seed, size_t longest_word) : rng_(seed), longest_word_(longest_word) {}

  std::string any() {
    using Maker = std::string (HostilePieces::*)();
    static constexpr Maker makers[] = {&HostilePieces::random_bytes,
                                       &HostilePieces::broken_utf8,
                                       &HostilePieces::control_characters,
                                       &HostilePieces::combining_tower,
                                       &HostilePieces::invisible,
                                       &HostilePieces::private_use,
                                       &HostilePieces::word,
                                       &HostilePieces::escape_sequence,
                                       &HostilePieces::spaces,
                                       &HostilePieces::markup_of_pieces,
                                       &HostilePieces::program_text,
                                       &HostilePieces::emoji,
                                       &HostilePieces::mixed_scripts,
                                       &HostilePieces::random_characters,
                                       &HostilePieces::date};
    if (rng_.below(1000) == 0) return std::string(longest_word_, letter());
    return (this->*makers[rng_.below(std::size(makers))])();
  }

  Rng& rng() { return rng_; }

 private:
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[rng_.below(choices.size())];
  }
  std::string several_of(const std::vector<std::string>& choices, uint64_t most) {
    std::string text;
    for (uint64_t left = 1 + rng_.below(most); left > 0; --left) text += one_of(choices);
    return text;
  }
  char letter() { return static_cast<char>('a' + rng_.below(26)); }

  std::string random_bytes() {
    std::string text;
    for (uint64_t left = 1 + rng_.below(60); left > 0; --left) {
      const char byte = static_cast<char>(rng_.below(256));
      text += byte == '\n' ? '\x80' : byte;
    }
    return text;
  }
  // Overlong forms, surrogates alone and in pairs, values that are too large, characters cut off.
  std::string broken_utf8() {
    return several_of(
        {"\xC0\x80", "\xC0\xAF", "\xE0\x80\x8A", "\xF0\x80\x80\x8A", "\xED\xA0\x80", "\xED\xB0\x80",
         "\xED\xA0\xBD\xED\xB8\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80", "\xE2\x82", "\xF0\x9F\x98",
         "\x80", "\xBF", "\xFE", "\xFF", "a", " "},
        12);
  }
  std::string control_characters() {
    return several_of({std::string(1, '\0'), "\r", "\t", "\v", "\f", "\b", "\x7F", "\x01", "\x1A",
                       "\xC2\x85", "\xC2\x9B", "\xE2\x80\xA8", "\xE2\x80\xA9", "x"},
                      10);
  }
  std::string combining_tower() {
    std::string text(1, letter());
    for (uint64_t left = 1 + rng_.below(300); left > 0; --left)
      text += text_of(std::u32string(1, static_cast<char32_t>(0x300 + rng_.below(0x70))));
    return text;
  }
  // Marks of direction, joiners, the byte order mark, variation selectors, tags.
  std::string invisible() {
    static const std::u32string marks =
        U"\u200E\u200F\u202A\u202B\u202D\u202E\u2066\u2067\u2069\u200B\u200C\u200D\u2060\uFEFF"
        U"\uFE0F"
        U"\U000E0041\U000E007F\u00AD\u034F\u061C";
    std::u32string text;
    for (uint64_t left = 1 + rng_.below(20); left > 0; --left)
      text += marks[rng_.below(marks.size())];
    return text_of(text) + one_of({"", "abc", "שלום", "مرحبا"});
  }
  std::string private_use() {
    static const std::u32string characters =
        U"\uE000\uF8FF\U000F0000\U0010FFFD\uFFFE\uFFFF\U0001FFFE\U0010FFFF\uFDD0\uFFFD";
    std::u32string text;
    for (uint64_t left = 1 + rng_.below(20); left > 0; --left)
      text += characters[rng_.below(characters.size())];
    return text_of(text);
  }
  std::string word() {
    std::string text;
    for (uint64_t left = 1 + rng_.below(2000); left > 0; --left) text += letter();
    return text;
  }
  std::string escape_sequence() {
    return several_of({"\x1B[2J", "\x1B[31m", "\x1B]0;owned\x07", "\x1B]52;c;ZXZpbA==\x07",
                       "\x1B"
                       "c",
                       "\x1B[6n", "\x1BP$q\x1B\\",
                       "\xC2\x9B"
                       "31m"},
                      5);
  }
  std::string spaces() {
    if (rng_.below(4) == 0) return std::string(rng_.below(5000), ' ');
    return several_of({" ", "  ", "\xC2\xA0", "\xE3\x80\x80", "\xE2\x80\x83", "\xE1\x9A\x80", "\t"},
                      40);
  }
  // Text with a special meaning for vocabularies and output formats.
  std::string markup_of_pieces() {
    return several_of({"▁", "▁▁", "<unk>", "</s>", "<s>", "<pad>", "<0x0A>", "<0x1B>", "⁇", " ||| ",
                       "|||", "@@ ", "<2de>", "<mask>", "▁the", " "},
                      12);
  }
  std::string program_text() {
    return one_of({R"({"source": "x", "translations": [)", R"("}]}\u0000\ud800)", "\\n\\r\\x1b",
                   "<script>alert(1)</script>", "<!-- --><b>", "&lt;&#0;&#x1b;&nbsp;",
                   "%s%n%x{}{0}", "'; DROP TABLE lines; --", "$(rm -rf /)", "../../etc/passwd",
                   "{{7*7}}", "-1e309 NaN"});
  }
  std::string emoji() {
    return several_of({"😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏿", "🇩🇪", "‍",
                       "️", "🧑🏽‍🚀", "1️⃣", "👨‍"},
                      60);
  }
  std::string mixed_scripts() {
    return several_of({"Straße ", "日本語", "한국어", "ไทย", "Ελληνικά", "привет", "हिन्दी", "עברית",
                       "العربية", "ﬁ", "ǅ", "İi", "Å", "Å", "𝔄𝔟𝔠", "ꙮ"},
                      10);
  }
  std::string random_characters() {
    std::u32string text;
    for (uint64_t left = 1 + rng_.below(40); left > 0; --left) {
      const auto character = static_cast<char32_t>(rng_.below(0x110000));
      const bool surrogate = character >= 0xD800 && character < 0xE000;
      text += character == U'\n' || surrogate ? U'?' : character;
    }
    return text_of(text);
  }
  std::string date() {
    return std::to_string(1 + rng_.below(28)) + one_of({" May ", ". März ", "-12-", " janvier "}) +
           std::to_string(1900 + rng_.below(130));
  }

  Rng rng_;
  size_t longest_word_;
};

// This many lines without line ends: one piece or several, with or without spaces between them.
inline std::vector<std::string> hostile_lines(uint64_t seed, size_t count, size_t longest_word) {
  HostilePieces pieces(seed, longest_word);
  Rng& rng = pieces.rng();
  // The first bytes of a file decide its kind: make them text.
  std::vector<std::string> lines = {"a line like any other"};
  while (lines.size() < count) {
    std::string line;
    if (rng.below(20) > 0) {
      const bool spaced = rng.below(2) == 0;
      for (uint64_t left = rng.below(2) == 0 ? 1 : 2 + rng.below(4); left > 0; --left)
        line += pieces.any() + (spaced && left > 1 ? " " : "");
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace heed::testing
