// Terms that a translation must have, as tokens, and how far a hypothesis has come with them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/data/glossary.h"
#include "heed/data/vocabulary.h"

namespace heed {

// What each token of a vocabulary says about where words end.
struct WordBorders {
  std::vector<bool> begins;   // a word that came before has ended
  std::vector<bool> goes_on;  // its word does not end with it, whatever follows
};
WordBorders word_borders_of(const Vocabulary& vocabulary);

struct RequiredTerms {
  struct Form {
    std::vector<int32_t> ids;
    bool needs_word_end = true;  // "Haus" is not in "Hausboot"
  };
  struct Term {
    std::vector<Form> forms;           // one is enough
    std::vector<int64_t> source = {};  // tokens of the source that it translates, if known
  };
  std::vector<Term> terms = {};
  std::shared_ptr<const WordBorders> borders = {};

  bool empty() const { return terms.empty(); }
  size_t size() const { return terms.size(); }
  std::vector<int32_t> all_ids() const;
  // Tokens of the longest form of a term, and of those of all terms.
  size_t longest(size_t term) const;
  size_t tokens() const;
};

// Terms of a glossary that a source has, whose tokens stand for these bytes (or for none that are
// known). Forms with characters that the vocabulary lacks are left out, and so is a term that has
// no other.
RequiredTerms required_terms(const Glossary& glossary, const std::vector<FoundTerm>& found,
                             std::span<const TextRange> source, const Vocabulary& vocabulary,
                             std::shared_ptr<const WordBorders> borders);

// Of one hypothesis. The terms outlive it.
class TermProgress {
 public:
  TermProgress() = default;  // of no terms
  explicit TermProgress(const RequiredTerms& terms);

  // With one more token.
  TermProgress extended(int32_t token) const;

  // The tokens that begin a term or go on with one.
  std::vector<int32_t> wanted() const;

  // The source tokens of the terms that a wanted token begins; none if it goes on with one.
  std::vector<int64_t> source_of(int32_t token) const;

  // How many terms the hypothesis has, if it ends here.
  int64_t met() const { return complete_ + (ends_form() ? 1 : 0); }
  // Grows with every token of a term, up to RequiredTerms::tokens().
  int64_t level() const { return static_cast<int64_t>(tokens_met_ + tokens_); }
  bool is_complete() const { return terms_ == nullptr || met() == count(); }

 private:
  // A form of which the hypothesis has as many tokens as any other that has begun.
  struct Begun {
    size_t term, form;
  };

  int64_t count() const { return static_cast<int64_t>(terms_->size()); }
  const RequiredTerms::Form& form_of(const Begun& begun) const {
    return terms_->terms[begun.term].forms[begun.form];
  }
  bool is_whole(const Begun& begun) const { return form_of(begun).ids.size() == tokens_; }
  bool ends_form() const;
  bool ends_form_of(size_t term) const;
  void complete(size_t term);
  bool complete_before(int32_t token);
  void begin(int32_t token);
  void complete_open_ends();

  const RequiredTerms* terms_ = nullptr;
  std::vector<bool> is_met_;  // by term
  int64_t complete_ = 0;
  size_t tokens_met_ = 0;  // of complete terms, each counted by its longest form
  std::vector<Begun> begun_;
  size_t tokens_ = 0;         // of those that have begun
  bool inside_word_ = false;  // where no term begins
};

}  // namespace heed
