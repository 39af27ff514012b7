// gettext's PO files, edited in place: what is not translated stays as it is, to the byte.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/markup/plural_rule.h"

namespace heed {

struct PoMessage {
  size_t line = 0;         // of its msgid, counted from 1
  std::string id, plural;  // the plural is empty if there is none
  bool has_plural = false;
  bool is_fuzzy = false;
  std::vector<std::string> forms;  // the translation, or one for each plural form

  // Whether a form has no translation.
  bool is_missing() const;
};

enum class FuzzyMark { set, not_set };

class PoFile {
 public:
  // In UTF-8. An Error with the line if it is not a PO file, or one in another encoding.
  explicit PoFile(std::string text, std::string name = "PO file");

  // Neither the header nor obsolete messages.
  std::span<const PoMessage> messages() const { return messages_; }
  const PluralRule& plural_rule() const { return rule_; }
  // The number of forms that a message should have.
  size_t forms_of(const PoMessage& message) const;

  // Replaces the translation of a message: as many forms as forms_of() says. A new translation is
  // marked as fuzzy, so that programs do not use it before a person has seen it; an older mark is
  // taken away if it is not set.
  void set_translation(size_t message, std::vector<std::string> forms, FuzzyMark mark);

  std::string text() const;

 private:
  class Reader;

  // Where the parts of a message are in the text.
  struct Place {
    TextRange flags;     // the line of flags, or no bytes where one may be inserted
    TextRange messages;  // all msgstr lines
    bool was_fuzzy = false;
  };
  struct Edit {
    TextRange range;
    std::string text;
  };

  std::string text_;
  std::string line_end_ = "\n";
  PluralRule rule_;
  bool has_rule_ = false;
  std::vector<PoMessage> messages_;
  std::vector<Place> places_;     // of the messages
  std::map<size_t, Edit> edits_;  // by where they begin
};

}  // namespace heed
