// Attention as one HTML file that works offline: every head of any number of sentences.
// web/README.md says what the page does with these data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/visualisation/packed_values.h"

namespace heed {

// A list of tokens, which are the queries or the keys of some part.
struct PageTokens {
  std::string name;
  std::string text;  // shown above the views, if there is one
  std::vector<std::string> pieces;
  std::vector<int64_t> words = {};  // of each piece, -1 for special ones; none: each its own
  std::string title = {};           // of the axis; none: its name
  std::string continuation = {};    // what a piece begins with that continues a word
};

// One attention of a model: all its layers and heads.
struct PagePart {
  std::string name;
  std::string queries, keys;  // names of lists of tokens
  int64_t layers = 0, heads = 0;
  bool causal = false;
  PackedValues weights;
  std::optional<PackedValues> norms = {}, gradients = {};
  std::string title = {};  // none: its name
};

// Packs arrays (layers, heads, queries, keys); those that are absent are left out.
struct PageArrays {
  Tensor weights, norms = {}, gradients = {};
};
PagePart page_part(std::string name, std::string queries, std::string keys,
                   const PageArrays& arrays, bool causal = false);

struct PageAlternative {
  std::string text;
  std::optional<double> score = {};
  std::optional<size_t> sentence = {};  // where its attention is
};

struct PageSentence {
  std::string name;                  // in the list of sentences
  std::optional<double> score = {};  // log-probability per token
  std::optional<size_t> of = {};     // an alternative to that sentence
  std::vector<PageAlternative> alternatives = {};
  std::vector<PageTokens> tokens;
  std::vector<PagePart> parts;
};

// Layers and heads are counted from 1.
struct PageHead {
  std::string part;
  int64_t layer = 1, head = 1;
};

struct PageColumn {
  std::string key, name, help;
  std::string best = {};  // "low", "high" or nothing
};

struct PageRow {
  PageHead head;
  std::string role = {};
  std::vector<std::pair<std::string, double>> figures = {};  // by the columns' keys
};

// What was seen at one step of training.
struct PageStep {
  int64_t step = 0;
  std::vector<PageColumn> columns = {};
  std::vector<PageRow> rows = {};
  std::string over = {};  // the text that the rows are about, in words
  // The same list at every step, with nothing in the place of a sentence that was not seen then.
  std::vector<std::optional<PageSentence>> sentences;
};

struct AttentionPage {
  std::string title = {};
  std::optional<PageHead> first = {};  // what is shown first
  bool pieces_first = false;           // pieces, rather than the words that they make
  std::vector<PageHead> off = {};      // heads that were switched off
  std::vector<PageColumn> columns = {};
  std::vector<PageRow> rows = {};
  std::vector<PageSentence> sentences = {};
  std::vector<PageStep> steps = {};  // over training time, in place of rows and sentences
};

// The data of the page alone, as web/README.md describes them. An Error if there is no sentence, or
// a step without any.
std::string attention_page_json(const AttentionPage& page);

// A whole HTML document. An Error if there is no sentence, or a step without any.
std::string draw_as_page(const AttentionPage& page);

}  // namespace heed
