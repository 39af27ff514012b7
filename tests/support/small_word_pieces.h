// A tokenizer.json of a few pieces.
#pragma once

#include <fmt/format.h>

#include <string>

namespace heed::testing {

// [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then the words and pieces, and 漢 and the marks.
inline std::string small_tokenizer_json() {
  return R"({"version": "1.0",
 "truncation": {"max_length": 128, "strategy": "LongestFirst", "stride": 0},
 "padding": {"strategy": {"Fixed": 128}, "direction": "Right", "pad_id": 0},
 "added_tokens": [
  {"id": 0, "special": true, "content": "[PAD]", "normalized": false},
  {"id": 1, "special": true, "content": "[UNK]", "normalized": false},
  {"id": 2, "special": true, "content": "[CLS]", "normalized": false},
  {"id": 3, "special": true, "content": "[SEP]", "normalized": false},
  {"id": 4, "special": true, "content": "[MASK]", "normalized": false, "lstrip": true}],
 "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
  "strip_accents": null, "lowercase": true},
 "pre_tokenizer": {"type": "BertPreTokenizer"},
 "post_processor": {"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
   {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
  "pair": [],
  "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
   "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
 "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
 "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
  "max_input_chars_per_word": 20, "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3,
  "[MASK]": 4, "play": 5, "##ing": 6, "##ed": 7, "the": 8, "naive": 9, "a": 10, "##b": 11,
  "##bb": 12, "ab": 13, "漢": 14, ",": 15, "$": 16, "strasse": 17, "i": 18, "σας": 19}}})";
}

}  // namespace heed::testing
