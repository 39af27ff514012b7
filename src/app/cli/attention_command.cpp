#include "heed/app/cli/attention_command.h"

#include <algorithm>
#include <filesystem>

#include "heed/app/cli/adapter_flag.h"
#include "heed/app/cli/attention_output.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/over_time_run.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/app/cli/tag_flag.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/folders/adapter_file.h"
#include "heed/runs/dumped_weights.h"
#include "heed/runs/encoder_view.h"
#include "heed/visualisation/heat_map_svg.h"

namespace heed {

namespace {

constexpr const char* attention_example =
    R"(Shows the attention of a model over the translation that it finds, or over --target. A
language model and an encoder such as BERT read the line itself. Without --source, reads lines from
standard input. Draws one head in the terminal, unless a file is wanted: the one that aligns best
among those that --part, --layer and --head leave. Rows are the tokens that are predicted, or those
of the text in an encoder, and columns what they look at. What the pieces of a word receive is added
up, and what they give is averaged.

  $ heed attention --model en-de --source "The cat sat on the mat."
  $ heed attention --model en-de --source "The cat sat." --part encoder --layer 2 --head 4
  $ heed attention --model en-de --source "The cat sat." --html cat.html
  $ heed attention --model en-de --without cross:6:3 --json - < text.en > text.jsonl
  $ heed attention --model minilm --source "The law will never be perfect." --svg law.svg

--html writes one page that works offline: every head of encoder, decoder and cross-attention, with
the norms of what each token contributes, gradients, a table of the heads and the alternatives that
the beam found. A file can be opened in any browser and sends nothing anywhere.

--json writes an object per line: source and target, each with its text, its pieces as the model
sees them and the word of each piece (-1 for special ones); log-probability, the natural one, and
score, which is it per token; shown, the head that a picture would show; attention, with encoder,
decoder and cross as [layer][head][query][key]; heads, with a role and figures for each, counted
from 1, with entropy in bits. A row belongs to the token that is predicted, the end included; the
keys of the decoder are what it has read, the start token first. What a model does not have is left
out: an encoder has only a source, a language model only a target.

--heads writes a table of what each head does over a text, or one object of JSON with --json, and
a picture with --svg. The text is translated first if --target-file is not given. --alignment adds
how well its links agree with those that people have drawn: a line per pair, such as "0-0 1p2", with
a - for a sure link and a p for a possible one. --ablate adds how much worse the model predicts
without each head, and takes a pass over the text for each. An encoder alone predicts nothing: its
heads have no importance and cannot be ablated.

  $ heed attention --model en-de --heads --target-file test.de --alignment test.links < test.en

--over-time shows how the heads came about: what heed train --watch has kept of its sentences at
each validation, and the role that each head had then, over some pairs of the validation set. The
page has a slider and a play button; --svg draws one head at up to eight steps side by side; --json
writes an object for each step and sentence, with its step. --source chooses among the sentences.

  $ heed train --train a.en a.de --model en-de --watch "The cat sat on the mat."
  $ heed attention --model en-de --over-time --html forming.html

--weights shows arrays that another program has written, such as the attentions of a PyTorch model
(safetensors; F32, F16, BF16 or F64): (batch, layers, heads, queries, keys), or the last two, three
or four of these. --labels names the tokens: {"queries": ["a", "b"], "keys": ["c", "d"]}, or such
an object under the name of each array; for a batch, a list for each.

  $ heed attention --weights bert.safetensors --labels tokens.json --html bert.html
)";

constexpr int most_translations = 5;  // on a page: the best and four alternatives

AttentionPart part_named(const std::string& name) {
  return *std::ranges::find_if(all_attention_parts,
                               [&](AttentionPart part) { return name_of(part) == name; });
}

CLI::Validator head_reference() {
  const auto check = [](const std::string& text) {
    try {
      head_named(text);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  return {check, ""};
}

std::string folder_title(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace

AttentionCommand::AttentionCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("attention", "Show what every head of a model attends to");
  add_flags(command);
  command.footer(attention_example);
  command.parse_complete_callback([this] { check_usage(); });
}

void AttentionCommand::add_flags(CLI::App& command) {
  add_adapter_flag(command, adapter_);
  add_tag_flag(command, options_.tag);
  command.add_option("--model", models_, "Model folder")
      ->option_text("DIR")
      ->transform(model_name())
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--source", source_, "Sentence to read (default: lines of standard input)")
      ->option_text("TEXT");
  command
      .add_option("--target", target_, "Its translation (default: the one that the model finds)")
      ->option_text("TEXT");
  command
      .add_option_function<std::string>(
          "--part", [this](const std::string& name) { choice_.part = part_named(name); },
          "Attention to draw (default: cross, or the only one)")
      ->option_text("encoder|decoder|cross")
      ->check(one_of({"encoder", "decoder", "cross"}));
  command
      .add_option("--layer", choice_.layer, "Layer to draw, counted from 1 (default: the clearest)")
      ->option_text("N")
      ->check(between(int64_t{1}, int64_t{1000}));
  command
      .add_option("--head", choice_.head, "Head to draw, counted from 1 (default: the clearest)")
      ->option_text("N")
      ->check(between(int64_t{1}, int64_t{1000}));
  command.add_flag_callback(
      "--pieces", [this] { unit_ = TokenUnit::pieces; }, "Draw pieces instead of words");
  command
      .add_option("--beam", options_.beam, "Beam size (default: the model's own or 5; 1 is greedy)")
      ->option_text("N")
      ->check(between(1, widest_beam));
  command
      .add_option_function<std::vector<std::string>>(
          "--without",
          [this](const std::vector<std::string>& names) {
            for (const std::string& name : names) options_.without.push_back(head_named(name));
          },
          "Switch a head off, such as cross:2:3; repeat for several")
      ->option_text("PART:LAYER:HEAD")
      ->check(head_reference())
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--svg", svg_, "Draw as a picture; - for standard output")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--html", html_, "Write a page with every head; - for standard output")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--json", json_, "Write an object per line (default: to standard output)")
      ->option_text("[FILE]")
      ->expected(0, 1)
      ->default_str("-")
      ->check(file_name());
  CLI::Option* weights =
      command
          .add_option("--weights", weights_,
                      "Safetensors file with weights to show instead of a model's")
          ->option_text("FILE")
          ->check(file_name());
  command.add_option("--labels", labels_, "JSON file with the labels of --weights")
      ->option_text("FILE")
      ->check(file_name())
      ->needs("--weights");
  CLI::Option* heads =
      command.add_flag("--heads", wants_table_, "Write a table of what each head does over a text");
  heads->excludes(weights);
  // Weights have no model to ask; a table is over all lines and heads of a text.
  for (const char* const name :
       {"--model", "--source", "--target", "--part", "--pieces", "--beam", "--without", "--json"})
    weights->excludes(name);
  for (const char* const name :
       {"--source", "--target", "--part", "--layer", "--head", "--pieces", "--html"})
    heads->excludes(name);
  command
      .add_option("--target-file", table_.target,
                  "Translations of the lines of standard input (default: the model's own)")
      ->option_text("FILE")
      ->check(file_name())
      ->excludes("--source")
      ->excludes("--target")
      ->excludes(weights);
  command.add_option("--alignment", table_.gold, "Gold links of the words of each pair")
      ->option_text("FILE")
      ->check(file_name())
      ->needs("--heads");
  command
      .add_option("--first-word", table_.first_word,
                  "Number of the first word in --alignment (default: 0)")
      ->option_text("0|1")
      ->check(between(int64_t{0}, int64_t{1}))
      ->needs("--alignment");
  command
      .add_flag_callback(
          "--keep-alignment", [this] { keeps_alignment_ = true; },
          "Keep in the model folder which head aligns words best")
      ->needs("--alignment");
  command
      .add_flag("--ablate", table_.ablate, "Also the cross-entropy without each head; takes long")
      ->needs("--heads");
  command.add_flag("--force", forced_, "Read standard input even if it does not look like text");
  CLI::Option* over_time = command.add_flag("--over-time", over_time_,
                                            "Show what heed train --watch has kept, step by step");
  for (const char* const name :
       {"--weights", "--heads", "--target", "--beam", "--without", "--tag", "--force"})
    over_time->excludes(name);
}

void AttentionCommand::check_usage() const {
  if (weights_.empty() && models_.empty()) throw CLI::RequiredError("--model");
  if (models_.size() > 1)
    throw CLI::ValidationError(
        "--model", fmt::format("{} models were given, but only the attention of one can be shown",
                               models_.size()));
  check_one_writes_standard_output(
      std::vector<FileFlag>{{"--svg", svg_}, {"--html", html_}, {"--json", json_}});
}

void AttentionCommand::run(const Console& console) const {
  if (!weights_.empty()) return show_dumped(console);
  if (over_time_) return show_history(console);
  if (is_bert_folder(models_.front())) {
    SourceTags().ids_of(options_.tag);  // an Error if there is one
    return show(load_bert_folder(models_.front()), console);
  }
  show(load_adapted(models_.front(), adapter_), console);
}

template <typename Folder>
void AttentionCommand::show(const Folder& folder, const Console& console) const {
  if (!wants_table_) return show_lines(folder, console);
  HeadTableFiles files = table_;
  files.json = json_;
  files.svg = svg_;
  files.forced = forced_;
  if (keeps_alignment_) files.keep_in = models_.front();
  write_head_table(folder, options_, files, console);
}

void AttentionCommand::show_dumped(const Console& console) const {
  std::vector<DumpedArray> arrays = read_dumped_weights(TensorFile::open(weights_));
  if (!labels_.empty()) label_dumped_weights(arrays, MappedFile(labels_).text(), labels_);
  const std::string title = folder_title(weights_);
  const HeatMapFigure figure = dumped_figure(arrays, title, choice_.layer, choice_.head);
  const std::string picture = svg_.empty() ? "" : draw_as_svg(figure),
                    page = html_.empty() ? "" : draw_as_page(dumped_page(arrays, title));
  const InterruptsWait until_files_are_complete;
  if (!svg_.empty()) write_file_atomically(svg_, picture);
  if (!html_.empty()) write_file_atomically(html_, page);
  if (svg_.empty() && html_.empty()) console.out << draw_for_terminal(figure, console.style);
}

void AttentionCommand::show_history(const Console& console) const {
  std::optional<std::string> source;
  if (source_) source = as_line(*source_);
  show_over_time({.model = models_.front(),
                  .title = folder_title(models_.front()),
                  .source = source,
                  .svg = svg_,
                  .html = html_,
                  .json = json_,
                  .choice = choice_,
                  .unit = unit_},
                 console);
}

ViewOptions AttentionCommand::view_options() const {
  ViewOptions options = options_;
  options.norms = !html_.empty();
  options.gradients = !html_.empty() || !json_.empty();
  options.most = html_.empty() ? 1 : most_translations;
  return options;
}

void AttentionCommand::show_lines(const ModelFolder& folder, const Console& console) const {
  const AttentionViewer viewer(folder, view_options());
  const auto view = [&](const AttentionLines::Line& line) {
    std::vector<AttentionView> views =
        line.target ? std::vector{viewer.look_at(line.source, *line.target, line.number)}
                    : viewer.find(line.source, line.number);
    if (viewer.is_unusually_long(line.source))
      console.err << fmt::format(
          "heed: line {} is longer than what the model was trained on; heed translate would "
          "translate it in parts\n",
          line.number);
    return views;
  };
  show_lines(viewer.head_counts(), view, console);
}

void AttentionCommand::show_lines(const BertFolder& folder, const Console& console) const {
  require(!target_ && table_.target.empty(), ErrorKind::usage,
          "attention: an encoder alone reads one text, so there is no translation to look at");
  const EncoderViewer viewer(*folder.model, folder.pieces, view_options());
  const auto view = [&](const AttentionLines::Line& line) {
    return viewer.find(line.source, line.number);
  };
  show_lines(viewer.head_counts(), view, console);
}

void AttentionCommand::show_lines(const HeadCounts& counts, const ViewLine& view,
                                  const Console& console) const {
  chosen_part(choice_, counts);
  AttentionOutputs outputs({.svg = svg_,
                            .html = html_,
                            .json = json_,
                            .title = folder_title(models_.front()),
                            .choice = choice_,
                            .without = options_.without,
                            .unit = unit_},
                           counts, console);
  AttentionLines lines(console, {source_, target_, table_.target, forced_});
  bool any = false;
  while (const std::optional<AttentionLines::Line> line = lines.next()) {
    any = true;
    outputs.add(view(*line));
  }
  require(any, "standard input: has no lines");
  outputs.finish();
  lines.report(console.err);
}

}  // namespace heed
