// How BERT's tokenizer prepares a text for its word pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Unicode's White_Space, at which words are split.
bool is_white_space(char32_t character);

// As Hugging Face's BertNormalizer, in this order.
struct BertNormaliser {
  // Control and format characters and U+FFFD are dropped, white space becomes " ".
  bool cleans = true;
  bool separates_cjk = true;   // each Chinese character is a word of its own
  bool strips_accents = true;  // NFD without non-spacing marks
  bool lowercases = true;      // each character by itself

  std::u32string operator()(std::u32string_view text) const;
};

// The words between white space, each mark of punctuation alone: Hugging Face's BertPreTokenizer.
std::vector<std::u32string_view> bert_words(std::u32string_view text);

}  // namespace heed
