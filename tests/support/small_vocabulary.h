// A vocabulary to test with, trained once.
#pragma once

#include <string>

#include "heed/data/vocabulary_training.h"
#include "sample_text.h"

namespace heed::testing {

inline const Vocabulary& small_vocabulary() {
  static const Vocabulary vocabulary = [] {
    uint64_t next = 0;
    return train_vocabulary({.size = 200}, [&](std::string& sentence) {
      sentence = made_up_sentence(next);
      return next++ < 500;
    });
  }();
  return vocabulary;
}

}  // namespace heed::testing
