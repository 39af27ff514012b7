#include "heed/app/cli/demo_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/models/model_config.h"
#include "heed/runs/attention_picture.h"
#include "heed/runs/conversion.h"
#include "heed/runs/date_lesson.h"
#include "heed/visualisation/heat_map_svg.h"
#include "heed/visualisation/heat_map_terminal.h"

namespace heed {

namespace {

constexpr int64_t exam_dates = 1000;
constexpr size_t shown_dates = 12;
constexpr double learning_rate = 3e-3;
// A date that the models have not seen, with a weekday and an article that they must skip.
constexpr const char* drawn_date = "le jeudi 3 mai 1979";

struct Pupil {
  std::string name;
  int64_t steps;
  ModelFolder folder;  // not stored anywhere yet
};

Pupil make_pupil(std::string name, int64_t steps, const DateLesson& lesson,
                 const ModelConfig& config, Rng& rng) {
  return {std::move(name), steps,
          ModelFolder{.config = config,
                      .model = make_model(config, rng),
                      .source = lesson.source(),
                      .target = lesson.target()}};
}

Pupil make_rnn(const DateLesson& lesson, Rng& rng) {
  return make_pupil("RNN", 500, lesson,
                    RnnConfig{.source_vocabulary = lesson.source().size(),
                              .target_vocabulary = lesson.target().size(),
                              .embedding = 32,
                              .hidden = 64},
                    rng);
}

// Rotary positions encode distances, which is what matters inside a date.
Pupil make_transformer(const DateLesson& lesson, Rng& rng) {
  return make_pupil("Transformer", 700, lesson,
                    TransformerConfig{.source_vocabulary = lesson.source().size(),
                                      .target_vocabulary = lesson.target().size(),
                                      .encoder_layers = 2,
                                      .decoder_layers = 2,
                                      .width = 64,
                                      .ffn = 128,
                                      .heads = 4,
                                      .norm = NormPlacement::pre,
                                      .positions = PositionKind::rotary,
                                      .tied = TiedEmbeddings::none,
                                      .dropout = 0.0,
                                      .embedding_dropout = 0.0},
                    rng);
}

// What the pupil attends to as it reads the date: its clearest head.
HeatMap attention_of(const Pupil& pupil) {
  const AttentionViewer viewer(pupil.folder, {.beam = 1});
  const AttentionView view = viewer.find(drawn_date).front();
  const HeadName head = clearest_head(view, viewer.head_counts(), {});
  HeatMap map = head_map(view, head, TokenUnit::pieces);
  map.title = all_heads(viewer.head_counts()).size() == 1
                  ? fmt::format("{}: its attention", pupil.name)
                  : fmt::format("{}: layer {}, head {}", pupil.name, head.layer, head.head);
  return map;
}

// Where to go from here.
std::string invitation(const std::string& model) {
  return fmt::format(
      "Every head, as a page for your browser:\n  {}heed attention --model {} "
      "--source \"{}\" --html attention.html\n",
      model.empty() ? "heed demo --model dates &&\n  " : "", model.empty() ? "dates" : model,
      drawn_date);
}

// Checked before the training, not after it.
void require_folder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  require(!std::filesystem::is_directory(file), "{}: a folder, but a file was expected",
          quote(file.string()));
  require(folder.empty() || std::filesystem::is_directory(folder), "{}: folder {} does not exist",
          quote(file.string()), quote(folder.string()));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// On a terminal, one line that changes; elsewhere, a few lines.
void show_progress(const Console& console, const Pupil& pupil, const StepReport& report,
                   double seconds) {
  constexpr int64_t plain_lines = 5, live_interval = 10;
  const bool last = report.step == pupil.steps;
  const int64_t interval =
      console.err_is_terminal ? live_interval : std::max<int64_t>(pupil.steps / plain_lines, 1);
  if (!last && report.step % interval != 0) return;
  const double left =
      seconds * static_cast<double>(pupil.steps - report.step) / static_cast<double>(report.step);
  const std::string line = fmt::format("{}: step {} of {} · loss {:.4f} · {:.0f} s left",
                                       pupil.name, report.step, pupil.steps, report.loss, left);
  if (console.err_is_terminal) {
    console.err << "\r\033[K" << (last ? "" : shorten(line, std::max(20, console.err_columns - 1)))
                << std::flush;
  } else {
    console.err << line << '\n' << std::flush;
  }
}

std::vector<std::string> teach_and_examine(const Console& console, const DateLesson& lesson,
                                           const std::vector<DatePair>& exam, Pupil& pupil,
                                           Workers& workers) {
  const auto start = std::chrono::steady_clock::now();
  lesson.teach(*pupil.folder.model, pupil.steps, learning_rate, workers,
               [&](const StepReport& report) {
                 show_progress(console, pupil, report, seconds_since(start));
               });
  const double seconds = seconds_since(start);
  std::vector<std::string> answers = lesson.answers(*pupil.folder.model, exam, workers);
  int64_t exact = 0;
  for (size_t i = 0; i < exam.size(); ++i) exact += answers[i] == exam[i].iso ? 1 : 0;
  console.out << fmt::format(
                     "{}: {} parameters, {:.0f} s, {:.1f} % of {} unseen dates exactly right\n",
                     pupil.name, count_parameters(*pupil.folder.model), seconds,
                     100.0 * static_cast<double>(exact) / static_cast<double>(exam.size()),
                     exam.size())
              << std::flush;
  return answers;
}

void show_answers(const Console& console, const std::vector<DatePair>& exam,
                  const std::vector<Pupil>& pupils,
                  const std::vector<std::vector<std::string>>& answers) {
  const size_t shown = std::min(shown_dates, exam.size());
  int widest = 0;
  for (size_t i = 0; i < shown; ++i) widest = std::max(widest, display_width(exam[i].written));
  const auto padded = [](const std::string& text, int width) {
    return text + std::string(static_cast<size_t>(std::max(0, width - display_width(text))), ' ');
  };
  constexpr int answer_width = 14;
  std::string heading = padded("", widest + 2);
  for (const Pupil& pupil : pupils) heading += padded(pupil.name, answer_width);
  console.out << '\n' << heading.substr(0, heading.find_last_not_of(' ') + 1) << '\n';
  for (size_t i = 0; i < shown; ++i) {
    std::string line = padded(exam[i].written, widest + 2);
    for (const std::vector<std::string>& own : answers)
      line += padded(own[i] + (own[i] == exam[i].iso ? "" : " ✗"), answer_width);
    console.out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace

DemoCommand::DemoCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "demo", "Train two models to read dates in eleven languages, and draw what they attend to");
  command
      .add_option("--svg", options_.svg,
                  "Picture of the attention weights (default: attention.svg)")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--model", options_.model, "New folder in which to keep the Transformer")
      ->option_text("DIR")
      ->check(folder_name());
  command
      .add_option("--threads", options_.threads,
                  "Threads (0: one per core); do not change the result")
      ->option_text("N")
      ->check(between(0, 1024));
  command
      .add_option("--steps", options_.steps,
                  "Training steps of each model (default: as many as it needs)")
      ->option_text("N")
      ->check(at_least(int64_t{1}));
  command
      .add_option("--seed", options_.seed,
                  "Seed of the dates and of the initial weights (default: 1)")
      ->option_text("N")
      ->check(at_least(uint64_t{0}));
  command.footer("\n  $ heed demo --svg dates.svg\n");
}

void DemoCommand::run(const Console& given) const {
  require_folder(options_.svg);
  if (!options_.model.empty()) check_new_folder(options_.model);
  // Where the picture goes to standard output, the report would stand in its midst.
  const bool picture_is_shown = is_standard_output(options_.svg);
  const Console console = {.out = picture_is_shown ? given.err : given.out,
                           .err = given.err,
                           .style = given.style,
                           .in = given.in,
                           .err_is_terminal = given.err_is_terminal,
                           .err_columns = given.err_columns};
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  Workers workers(options_.threads > 0 ? options_.threads : static_cast<int>(cores));
  const DateLesson lesson(options_.seed);
  std::vector<DatePair> exam = lesson.examination(exam_dates);
  Rng rng(options_.seed);
  std::vector<Pupil> pupils;
  pupils.push_back(make_rnn(lesson, rng));
  pupils.push_back(make_transformer(lesson, rng));

  console.out << "Two models learn to read dates in eleven languages, character by character.\n"
              << std::flush;
  std::vector<std::vector<std::string>> answers;
  HeatMapFigure figure{.title = drawn_date, .maps = {}};
  for (Pupil& pupil : pupils) {
    if (options_.steps > 0) pupil.steps = options_.steps;
    answers.push_back(teach_and_examine(console, lesson, exam, pupil, workers));
    figure.maps.push_back(attention_of(pupil));
  }
  show_answers(console, exam, pupils, answers);

  const std::string answered = "ISO date", read = "Written date";
  const std::string picture = draw_as_svg(figure, {.query_axis = answered, .key_axis = read});
  {
    const InterruptsWait until_the_file_is_complete;
    write_file_atomically(options_.svg, picture);
    if (!options_.model.empty()) save_new_model(options_.model, pupils.back().folder);
  }
  TerminalStyle style = console.style;
  style.query_axis = answered;
  style.key_axis = read;
  console.out << '\n' << draw_for_terminal(figure, style);
  if (!picture_is_shown)
    console.out << fmt::format("The picture was written to {}.\n", options_.svg);
  if (!options_.model.empty())
    console.out << fmt::format("The Transformer was saved in {}.\n", options_.model);
  console.out << invitation(options_.model);
}

}  // namespace heed
