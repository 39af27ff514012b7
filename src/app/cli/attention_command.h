// `heed attention`: what every head of a model attends to.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/app/cli/attention_lines.h"
#include "heed/app/cli/console.h"
#include "heed/app/cli/head_table_run.h"
#include "heed/folders/bert_folder.h"
#include "heed/folders/model_folder.h"
#include "heed/runs/attention_picture.h"
#include "heed/runs/attention_view.h"

namespace heed {

using ViewLine = std::function<std::vector<AttentionView>(const AttentionLines::Line&)>;

class AttentionCommand {
 public:
  // Adds the command to the program.
  explicit AttentionCommand(CLI::App& program);

  // Draws in the terminal, or writes the files that are wanted. An Error if something is wrong with
  // a file, the model or a line.
  void run(const Console& console) const;

 private:
  void add_flags(CLI::App& command);
  void check_usage() const;
  void show_dumped(const Console& console) const;
  void show_history(const Console& console) const;
  template <typename Folder>
  void show(const Folder& folder, const Console& console) const;
  void show_lines(const ModelFolder& folder, const Console& console) const;
  void show_lines(const BertFolder& folder, const Console& console) const;
  ViewOptions view_options() const;
  // `view` looks at a line, and at its translation where one is given.
  void show_lines(const HeadCounts& counts, const ViewLine& view, const Console& console) const;

  std::vector<std::string> models_;
  std::string adapter_;
  std::string weights_, labels_;
  std::optional<std::string> source_, target_;
  HeadChoice choice_;
  ViewOptions options_;
  TokenUnit unit_ = TokenUnit::words;
  std::string svg_, html_, json_;
  bool forced_ = false;
  HeadTableFiles table_;
  bool wants_table_ = false;
  bool keeps_alignment_ = false;
  bool over_time_ = false;
};

}  // namespace heed
