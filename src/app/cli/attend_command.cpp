#include "heed/app/cli/attend_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "heed/app/cli/attend.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/data/byte_input.h"
#include "heed/visualisation/heat_map_svg.h"
#include "heed/visualisation/heat_map_terminal.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(Arrays in the input file (safetensors; F32, F16 or BF16, or F64 to compute in double precision):
  queries, keys, values   (length, depth), (batch, length, depth) or (batch, heads, length, depth)
  valid_lengths           I64 (batch) or (batch, queries): how many keys may be seen; optional
  mask                    BOOL (queries, keys), also with the leading sizes: true = may attend; optional
  score.weight            (query depth, key depth)     of the bilinear score
  score.query.weight, score.key.weight, score.value.weight
                          (hidden, query depth), (hidden, key depth), (hidden)     of the additive score
  score.width             one number w     of the gaussian score -|q - k|^2 / (2 w^2)
  output.gradient         the shape of the output: asks for the gradients too; optional
Arrays in the output file: output, weights, and with output.gradient also queries.gradient, keys.gradient,
values.gradient and the gradients of the score's parameters, named in the same way. With --heads the depth
is cut into that many parts, and the score's parameters have the depth of one part.

Example: eight keys around a circle, four queries that point at every second one, two sequences of which the
second has only five valid keys.

  $ heed attend --example input.safetensors
  $ heed attend --input input.safetensors --output output.safetensors --score dot --show
  Attention weights, dot score

  Batch 0
          Keys
  Queries 0 1 2 3 4 5 6 7
        0 ▓▓░░          ░░
        1   ░░▓▓░░
        2       ░░▓▓░░
        3           ░░▓▓░░

  Batch 1
          Keys
  Queries 0 1 2 3 4 5 6 7
        0 ██░░
        1   ░░▓▓░░
        2       ░░██
        3 ▒▒      ▒▒

  Weight: 0 " ░▒▓█" 0.752
)";

constexpr std::array every_score = {ScoreKind::dot,      ScoreKind::scaled_dot,
                                    ScoreKind::bilinear, ScoreKind::additive,
                                    ScoreKind::cosine,   ScoreKind::gaussian};

std::vector<std::string> score_names() {
  std::vector<std::string> names;
  for (const ScoreKind kind : every_score) names.emplace_back(name_of(kind));
  return names;
}

ScoreKind score_named(const std::string& name) {
  return *std::ranges::find_if(every_score, [&](ScoreKind kind) { return name_of(kind) == name; });
}

// N of "window:N"; nothing for anything else.
std::optional<int64_t> window_of(std::string_view text) {
  constexpr std::string_view name = "window:";
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  int64_t reach = -1;
  const auto [end, reason] = std::from_chars(text.data(), text.data() + text.size(), reach);
  const bool whole = reason == std::errc() && end == text.data() + text.size();
  return whole && reach >= 0 ? std::optional(reach) : std::nullopt;
}

// One of the masks that --mask names.
void apply_mask(const std::string& text, AttendOptions& options) {
  if (text == "causal")
    options.causal = true;
  else if (const std::optional<int64_t> window = window_of(text))
    options.window = window;
  else
    throw CLI::ValidationError(
        "--mask", fmt::format("{} is neither causal nor window:N, N from 0 on", quote(text)));
}

double physical_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void write_result(const std::string& path, const AttendResult& result) {
  TensorFileWriter writer;
  writer.add("output", result.output);
  if (result.weights.present()) writer.add("weights", result.weights);
  for (const auto& [name, gradient] : result.gradients) writer.add(name, gradient);
  writer.save(path);
}

}  // namespace

AttendCommand::AttendCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("attend", "Run attention on the arrays of a safetensors file");
  add_flags(command);
  command.footer(worked_example);
  // Throwing from here makes a mistake in the combination of flags one of usage.
  command.callback([this] { check_usage(); });
}

void AttendCommand::add_flags(CLI::App& command) {
  command
      .add_option("--input", input_,
                  "Safetensors file with queries, keys, values and the rest (see below); - for "
                  "standard input")
      ->option_text("FILE")
      ->check(file_name());
  command
      .add_option("--output", output_,
                  "Safetensors file to write: output, weights, gradients; - for standard output")
      ->option_text("FILE")
      ->check(file_name());
  command
      .add_option_function<std::string>(
          "--score", [this](const std::string& name) { options_.score = score_named(name); },
          "How a key answers a query (scaled-dot if not given)")
      ->option_text("dot|scaled-dot|bilinear|additive|cosine|gaussian")
      ->check(one_of(score_names()));
  command
      .add_option_function<std::vector<std::string>>(
          "--mask",
          [this](const std::vector<std::string>& masks) {
            for (const std::string& mask : masks) apply_mask(mask, options_);
          },
          "Query i sees the keys up to i, or from i - N to i + N; both if given twice")
      ->option_text("causal|window:N")
      ->expected(1)
      ->take_all();
  command
      .add_option("--heads", options_.heads, "Parts that the depth is cut into (1 if not given)")
      ->option_text("N")
      ->check(between(int64_t{1}, int64_t{1} << 40));
  command.add_flag("--show", show_, "Draw the weights in the terminal");
  command.add_option("--svg", svg_, "Draw the weights as a picture; - for standard output")
      ->option_text("FILE")
      ->check(file_name());
  command.add_flag("--no-weights", no_weights_,
                   "Neither compute nor write the weights, for long sequences");
  command
      .add_option("--example", example_,
                  "Write the input of the example below, and do nothing else")
      ->option_text("FILE")
      ->check(file_name());
}

void AttendCommand::check_usage() const {
  if (!example_.empty()) return;
  if (input_.empty()) throw CLI::RequiredError("--input");
  if (output_.empty() && svg_.empty() && !show_)
    throw CLI::ValidationError("attend", "there is nothing to do: give --output, --show or --svg");
  if (no_weights_ && (show_ || !svg_.empty()))
    throw CLI::ValidationError("--no-weights", "--show and --svg need the weights");
  check_one_writes_standard_output(
      std::vector<FileFlag>{{"--show", show_ ? "-" : ""}, {"--output", output_}, {"--svg", svg_}});
}

void AttendCommand::run(const Console& console) const {
  if (!example_.empty()) return write_attend_example(example_);
  AttendOptions options = options_;
  options.want_weights = !no_weights_;
  options.memory_limit = physical_memory();

  const std::string name = input_name(input_);
  const std::vector<std::byte> piped = input_ == "-" ? read_file(input_) : std::vector<std::byte>();
  const TensorFile file = input_ == "-" ? TensorFile::parse(piped, name) : TensorFile::open(input_);
  const AttendInput input = read_attend_input(file, options);
  for (const std::string& array : input.unused)
    console.err << fmt::format("heed: {}: array {} is not used\n", name, quote(array));
  const AttendResult result = run_attend(input, options, name);

  const bool drawn = show_ || !svg_.empty();
  const HeatMapFigure figure = drawn ? attend_figure(input, options, result) : HeatMapFigure{};
  const std::string picture = svg_.empty() ? "" : draw_as_svg(figure);
  {
    const InterruptsWait until_files_are_complete;
    if (!output_.empty()) write_result(output_, result);
    if (!svg_.empty()) write_file_atomically(svg_, picture);
  }
  if (show_) console.out << draw_for_terminal(figure, console.style);
}

}  // namespace heed
