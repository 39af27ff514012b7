// Made-up sentences as SentencePiece reads them.
#pragma once

#include <sentencepiece_trainer.h>

#include <cstdint>
#include <string>

#include "sample_text.h"

namespace heed::testing {

class MadeUpInput : public sentencepiece::SentenceIterator {
 public:
  explicit MadeUpInput(uint64_t count) : count_(count) {}

  bool done() const override { return next_ == count_; }
  void Next() override { sentence_ = made_up_sentence(++next_); }
  const std::string& value() const override { return sentence_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  uint64_t count_;
  uint64_t next_ = 0;
  std::string sentence_ = made_up_sentence(0);
};

}  // namespace heed::testing
