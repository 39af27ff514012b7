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
#include "heed/runs/dumped_weights.h"
#include "heed/visualisation/heat_map_svg.h"
#include "heed/visualisation/heat_map_terminal.h"

namespace heed {

namespace {

constexpr const char* attend_example =
    R"(Arrays in the input file (safetensors; F32, F16 or BF16, or F64 for double precision):
  queries, keys, values   (length, width), (batch, length, width) or (batch, heads, length, width)
  valid_lengths           I64 (batch) or (batch, queries): how many keys are visible; optional
  mask                    BOOL (queries, keys), leading axes allowed: true = may attend; optional
  score.weight            bilinear score: (query width, key width)
  score.query.weight      additive score: (hidden, query width)
  score.key.weight        additive score: (hidden, key width)
  score.value.weight      additive score: (hidden)
  score.bandwidth         Gaussian score -|q - k|^2 / (2 w^2): one number w
  output.gradient         asks for gradients and has the shape of the output; optional

Arrays in the output file: output and weights. With output.gradient also queries.gradient,
keys.gradient, values.gradient and the gradients of the score's parameters, named the same way.
With --heads N the width is split into N heads, and the score's parameters have the width of one
head.

Example: eight keys around a circle, four queries that point at every second key, and two
sequences, the second with only five valid keys.

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

// N of "window:N", or nothing if the text is something else.
std::optional<int64_t> window_of(std::string_view text) {
  constexpr std::string_view name = "window:";
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  int64_t window = -1;
  const auto [end, reason] = std::from_chars(text.data(), text.data() + text.size(), window);
  const bool whole = reason == std::errc() && end == text.data() + text.size();
  return whole && window >= 0 ? std::optional(window) : std::nullopt;
}

// One of the masks that --mask names.
void apply_mask(const std::string& text, AttendOptions& options) {
  if (text == "causal")
    options.causal = true;
  else if (const std::optional<int64_t> window = window_of(text))
    options.window = window;
  else
    throw CLI::ValidationError(
        "--mask", fmt::format("{} is neither causal nor window:N with N >= 0", quote(text)));
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

// weights (queries, keys), (batch, queries, keys) or (batch, heads, queries, keys).
std::string page_of(const Tensor& weights) {
  const Shape& shape = weights.shape();
  const int64_t batch = shape.rank() > 2 ? shape[0] : 1, heads = shape.rank() > 3 ? shape[1] : 1;
  const DumpedArray array =
      dumped_array("weights", weights.reshape({batch, 1, heads, shape[-2], shape[-1]}));
  return draw_as_page(dumped_page({array}, "heed attend"));
}

}  // namespace

AttendCommand::AttendCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("attend", "Run attention on the arrays of a safetensors file");
  add_flags(command);
  command.footer(attend_example);
  // An exception from here counts as wrong usage.
  command.callback([this] { check_usage(); });
}

void AttendCommand::add_flags(CLI::App& command) {
  command.add_option("--input", input_, "Safetensors file to read; - for standard input")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--output", output_, "Safetensors file to write; - for standard output")
      ->option_text("FILE")
      ->check(file_name());
  command
      .add_option_function<std::string>(
          "--score", [this](const std::string& name) { options_.score = score_named(name); },
          "Score function (default: scaled-dot)")
      ->option_text("dot|scaled-dot|bilinear|additive|cosine|gaussian")
      ->check(one_of(score_names()));
  command
      .add_option_function<std::vector<std::string>>(
          "--mask",
          [this](const std::vector<std::string>& masks) {
            for (const std::string& mask : masks) apply_mask(mask, options_);
          },
          "Query i sees keys up to i, or from i - N to i + N; repeat for both")
      ->option_text("causal|window:N")
      ->expected(1)
      ->take_all();
  command.add_option("--heads", options_.heads, "Number of heads (default: 1)")
      ->option_text("N")
      ->check(between(int64_t{1}, int64_t{1} << 40));
  command.add_flag("--show", show_, "Draw the weights in the terminal");
  command.add_option("--svg", svg_, "Draw the weights as a picture; - for standard output")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--html", html_, "Write a page with the weights; - for standard output")
      ->option_text("FILE")
      ->check(file_name());
  command.add_flag("--no-weights", no_weights_, "Do not compute the weights; for long sequences");
  command.add_option("--example", example_, "Write the input file of the example and exit")
      ->option_text("FILE")
      ->check(file_name());
}

void AttendCommand::check_usage() const {
  if (!example_.empty()) return;
  if (input_.empty()) throw CLI::RequiredError("--input");
  if (output_.empty() && svg_.empty() && html_.empty() && !show_)
    throw CLI::ValidationError("attend",
                               "there is nothing to do: give --output, --show, --svg or --html");
  if (no_weights_ && (show_ || !svg_.empty() || !html_.empty()))
    throw CLI::ValidationError("--no-weights", "--show, --svg and --html need the weights");
  check_one_writes_standard_output(std::vector<FileFlag>{
      {"--show", show_ ? "-" : ""}, {"--output", output_}, {"--svg", svg_}, {"--html", html_}});
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
  const std::string picture = svg_.empty() ? "" : draw_as_svg(figure),
                    page = html_.empty() ? "" : page_of(result.weights);
  {
    const InterruptsWait until_files_are_complete;
    if (!output_.empty()) write_result(output_, result);
    if (!svg_.empty()) write_file_atomically(svg_, picture);
    if (!html_.empty()) write_file_atomically(html_, page);
  }
  if (show_) console.out << draw_for_terminal(figure, console.style);
}

}  // namespace heed
