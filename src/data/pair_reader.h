// The common interface of corpus readers: sentence pairs, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// Why a pair is not used.
enum class Drop {
  invalid_utf8,
  nul_character,
  empty_side,
  too_long,
  fuzzy,                // gettext: an unconfirmed translation
  missing_column,       // TSV: a line without a tab
  missing_language,     // TMX: a unit that lacks one of the two languages
  credits,              // installed messages: translator credits
  invalid_reference,    // TMX and JSONL: &#xD800; or "\ud800", which are not characters
  duplicate_key,        // JSONL: a side twice
  number_out_of_range,  // JSONL: 1e999999 somewhere in the line
};

inline constexpr int drop_reasons = 11;

// As in "12 pairs were dropped: …".
std::string_view text_of(Drop reason);
// As a key in JSON.
std::string_view name_of(Drop reason);

struct SentencePair {
  std::string source;
  std::string target;
  std::optional<Drop> drop = {};  // the reader itself has a reason not to use it
};

class PairReader {
 public:
  virtual ~PairReader() = default;

  // False if there is no other pair. An Error that names file and line if the format is wrong.
  virtual bool next(SentencePair& pair) = 0;
};

}  // namespace heed
