// Texts with their labels, for classifiers: "label TAB text" a line, or a JSON object a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/data/line_reader.h"

namespace heed {

enum class LabelledFormat { tsv, jsonl };

// By the name of the file, which may also end in .gz or .zst: "x.jsonl" is JSONL, others are TSV.
LabelledFormat labelled_format(std::string_view path);

struct LabelledText {
  std::vector<std::string> labels;  // none where a text of JSONL has none of several
  std::string text;
};

// TSV: the label in the first column, the text in the second; further columns are ignored. JSONL:
// "text", and "label" (a text or a whole number) or "labels" (a list of them). Blank lines are
// skipped.
class LabelledReader {
 public:
  LabelledReader(LineReader lines, LabelledFormat format)
      : lines_(std::move(lines)), format_(format) {}

  // False at the end. An Error names the line: without a label or a text, not JSON, not UTF-8, with
  // an empty label or with one twice.
  bool next(LabelledText& text);

  // "FILE: line N", for errors about the last text.
  std::string where() const { return lines_.where(); }

 private:
  void read_columns(LabelledText& text) const;
  void read_object(LabelledText& text) const;

  LineReader lines_;
  LabelledFormat format_;
  std::string line_;
};

}  // namespace heed
