// Where `heed attention` shows what was recorded: the terminal, a picture, a page, JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/app/cli/output_stream.h"
#include "heed/decoding/head_table.h"
#include "heed/runs/attention_picture.h"
#include "heed/runs/attention_view.h"
#include "heed/visualisation/attention_page.h"

namespace heed {

struct WantedOutputs {
  std::string svg, html, json;  // files, or nothing; if there are none, the terminal
  std::string title;            // of the page: the model's name
  HeadChoice choice;
  std::vector<HeadName> without;
  TokenUnit unit = TokenUnit::words;
};

class AttentionOutputs {
 public:
  AttentionOutputs(WantedOutputs wanted, const HeadCounts& counts, const Console& console);

  // One line of the input: the translation and its alternatives. The terminal and JSON get it at
  // once.
  void add(const std::vector<AttentionView>& views);
  // Writes the files that show all lines at once, and completes the others.
  void finish();

 private:
  void draw(const AttentionView& view, const HeadTable& heads);
  void add_to_page(const std::vector<AttentionView>& views);
  AttentionPage page() const;

  WantedOutputs wanted_;
  HeadCounts counts_;
  const Console& console_;
  size_t lines_ = 0;                  // that have words
  size_t empty_lines_ = 0;            // of which only JSON has something to say
  std::optional<OutputStream> json_;  // if it is a file
  RecordedHeads heads_;               // of all lines
  std::optional<HeadName> first_;     // of the first line: what a page shows first
  std::vector<PageSentence> sentences_;
  std::string picture_;
};

}  // namespace heed
