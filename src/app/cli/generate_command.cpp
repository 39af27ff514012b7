#include "heed/app/cli/generate_command.h"

#include <algorithm>
#include <chrono>
#include <future>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/base/error_place.h"
#include "heed/base/json.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

constexpr const char* generate_example =
    R"(Continues PROMPT, or each line of standard input, until the model ends its text, a stop text
comes or --max-tokens are there. An empty line stays empty. The model is one of heed or a Llama
folder of Hugging Face.

  $ heed generate --model stories "Once upon a time"
  $ heed generate --model stories --greedy --max-tokens 40 < prompts > texts

Without --greedy or --beam, tokens are drawn at random. What is drawn depends only on the prompt,
the seed and these settings. On a terminal, a single text is shown as it grows.

A single continuation of PROMPT is written as it is, after the prompt. Otherwise each text is
written on a line of its own, with its prompt, and line breaks inside it become spaces.
--json writes one object for each text instead: "ids", the tokens of the prompt with the start
token, "continuation", the tokens after them, "text", what these say, "log-probability", and
"ending": end, stop or length. The ids are those of the model's own tokenizer.
)";

// What becomes of a line without a token. It counts, so that lines of prompts and texts stay equal.
PendingLine done_already(const std::string& text) {
  return {.is_done = [] { return true; }, .take = [=] { return text; }};
}

bool is_ready(const std::future<std::vector<Continuation>>& result) {
  return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::end:
      return "end";
    case Ending::stop:
      return "stop";
    case Ending::length:
      return "length";
  }
  __builtin_unreachable();
}

std::vector<int32_t> model_ids(const Vocabulary& vocabulary, std::vector<int32_t> ids) {
  for (int32_t& id : ids) id = vocabulary.model_id(id);
  return ids;
}

// The ids are the model's.
std::string json_text(const std::vector<int32_t>& prompt, const Continuation& found) {
  return json_object<OrderedJsonValue>({{"ids", prompt},
                                        {"continuation", found.ids},
                                        {"text", found.text},
                                        {"log-probability", found.log_probability},
                                        {"ending", name_of(found.ending)}})
      .dump();
}

}  // namespace

GenerateCommand::GenerateCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("generate", "Continue texts with a language model");
  command.add_option("--model", model_, "Model folder")
      ->option_text("DIR")
      ->transform(model_name())
      ->required();
  command.add_option("prompt", prompt_, "Text to continue (default: the lines of standard input)")
      ->option_text("PROMPT");
  command
      .add_option("--max-tokens", options_.max_tokens,
                  "Maximum tokens of a continuation (default: what the context holds)")
      ->option_text("N")
      ->check(between(int64_t{1}, int64_t{1000000}));
  command.add_option("--stop", options_.stops, "Text that ends a continuation; may be repeated")
      ->option_text("TEXT")
      ->take_all()
      ->allow_extra_args(false);
  add_sampling_flags(command);
  command.add_flag("--json", json_, "Write one JSON object per text");
  command.add_option("--threads", threads_, "Threads (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, 1024));
  command.add_flag("--int8", int8_,
                   "Compute with 8-bit weights: faster, with nearly the same results");
  command.add_flag("--force", forced_, "Read standard input even if it does not look like text");
  command.footer(generate_example);
  command.parse_complete_callback([this] { check_usage(); });
}

void GenerateCommand::add_sampling_flags(CLI::App& command) {
  CLI::Option* greedy =
      command.add_flag("--greedy", greedy_, "Take the likeliest token at every step");
  CLI::Option* beam =
      command.add_option("--beam", options_.beam, "Search with this beam size instead of sampling")
          ->option_text("N")
          ->check(between(1, 1000))
          ->excludes(greedy);
  const auto option = [&](const char* name, const char* value_name, auto& value, const char* what,
                          auto range) {
    command.add_option(name, value, what)
        ->option_text(value_name)
        ->check(range)
        ->excludes(greedy)
        ->excludes(beam);
  };
  option("--temperature", "X", sampling_.temperature,
         "Sampling temperature; below 1 favours likely tokens (default: 1)", between(1e-3, 1e3));
  option("--top-k", "K", sampling_.top_k, "Sample from the K likeliest tokens",
         between(1, 1000000));
  option("--top-p", "X", sampling_.top_p,
         "Sample from the likeliest tokens that together have this probability",
         between(1e-6, 1.0));
  option("--samples", "N", options_.samples, "Continuations of each text (default: 1)",
         between(1, 1000));
  option("--seed", "N", sampling_.seed, "Random seed (default: 1)", at_least(uint64_t{0}));
}

void GenerateCommand::check_usage() {
  if (std::ranges::any_of(options_.stops, &std::string::empty))
    throw CLI::ValidationError("--stop: an empty text, but one to stop at was expected");
  if (!greedy_ && options_.beam == 1) options_.sampling = sampling_;
}

GenerationRequest GenerateCommand::request_for(const std::string& prompt) const {
  return {.prompt = prompt, .options = options_};
}

std::string GenerateCommand::text_of(const TextGenerator& generator, const std::string& prompt,
                                     const std::vector<Continuation>& continuations) const {
  const auto text_of_one = [&](const Continuation& found) {
    if (json_) {
      Continuation numbered = found;
      numbered.ids = model_ids(generator.vocabulary(), found.ids);
      return json_text(model_ids(generator.vocabulary(), generator.prompt_ids(prompt)), numbered);
    }
    const std::string text = prompt + found.text;
    return prompt_ && continuations.size() == 1 ? text : on_one_line(text);
  };
  std::string lines;
  for (const Continuation& found : continuations)
    lines += (lines.empty() ? "" : "\n") + text_of_one(found);
  return lines;
}

std::string GenerateCommand::text_of_nothing() const {
  std::string lines;
  for (int sample = 0; sample < options_.samples; ++sample) {
    if (sample > 0) lines += '\n';
    if (json_) lines += json_text({}, {});
  }
  return lines;
}

void GenerateCommand::stream(const TextGenerator& generator, const Console& console) const {
  GenerationRequest request = request_for(*prompt_);
  generator.prompt_ids(*prompt_);  // refused before anything is written
  console.out << *prompt_ << std::flush;
  request.on_text = [&](std::string_view text) { console.out << text << std::flush; };
  generator.generate(std::move(request));
  console.out << '\n';
}

void GenerateCommand::continue_lines(const TextGenerator& generator, const Console& console) const {
  TextLines lines = open_lines(console, "-", forced_);
  const auto begin = [&](const std::string& line) -> PendingLine {
    if (generator.vocabulary().encode(line).empty()) return done_already(text_of_nothing());
    const auto result = std::make_shared<std::future<std::vector<Continuation>>>(
        with_place(fmt::format("{}: line {}", lines.name(), lines.counts().lines),
                   [&] { return generator.submit(request_for(line)); }));
    return {.is_done = [=] { return is_ready(*result); },
            .take =
                [=, &generator, this] {
                  generator.work_until([&] { return is_ready(*result); });
                  return text_of(generator, line, result->get());
                }};
  };
  pass_lines(lines, console.out, begin);
}

void GenerateCommand::run(const Console& console) const {
  const TextGenerator generator =
      TextGenerator::load(model_, {.threads = prompt_        ? 1
                                              : threads_ > 0 ? threads_
                                                             : core_count(),
                                   .precision = int8_ ? Precision::int8 : Precision::float32});
  if (!prompt_) return continue_lines(generator, console);
  const bool grows =
      console.out_is_terminal && !json_ && options_.samples == 1 && options_.beam == 1;
  if (grows) return stream(generator, console);
  console.out << text_of(generator, *prompt_, generator.generate(request_for(*prompt_))) << '\n';
}

}  // namespace heed
