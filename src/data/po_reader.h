// gettext's PO files: editable messages of programs and their translations.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "heed/data/charset_decoder.h"
#include "heed/data/line_reader.h"
#include "heed/data/pair_reader.h"

namespace heed {

// The forms of a message and of its translation as sentence pairs: the singular with the first, and
// the plural, if there is one, with the last. A language without plurals has one form, which
// belongs to the plural.
std::vector<SentencePair> pair_forms(const std::string& singular, const std::string& plural,
                                     const std::vector<std::string>& forms);

// Obsolete messages and the header, which names the encoding, are left out. For an untranslated
// message, one side is empty.
class PoReader : public PairReader {
 public:
  explicit PoReader(LineReader lines) : lines_(std::move(lines)) {}

  bool next(SentencePair& pair) override;

 private:
  struct Message {
    std::string id;
    std::string plural;
    std::vector<std::string> forms;
    bool has_id = false;
    bool is_fuzzy = false;
  };

  bool read_line();
  bool read_message(Message& message);
  std::string& field_named(Message& message, std::string_view keyword);
  void append_string(std::string_view quoted, std::string& text) const;

  LineReader lines_;
  std::string line_;
  bool line_is_waiting_ = false;  // already read, but part of the next message
  std::string context_;           // of the message; it is not part of the text
  CharsetDecoder decoder_;
  std::deque<SentencePair> waiting_;
};

}  // namespace heed
