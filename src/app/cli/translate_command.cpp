#include "heed/app/cli/translate_command.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/app/cli/translation_progress.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/decoding/translator.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(Reads lines from standard input and writes as many to standard output, in the same order, each as soon as it
can; or from and to files, of which the second appears when it is complete. What is read may be compressed with
gzip or zstd. An empty line stays empty; what is not UTF-8 becomes U+FFFD and is counted on standard error.

  $ heed translate --model en-de < text.en > text.de
  $ heed translate --model en-de --input text.en --output text.de

--nbest N writes up to N lines for each: its number, a translation and its score, as Moses and Marian do, with
" ||| " between them. An alignment stands at the end of a line, behind " ||| ": for pharaoh, pairs of a source
word and the target word that looked at it, counted from 0; for soft, the weights of each target word over all
source words.

--sample draws translations instead; each line's depend on the line and the seed only.

  $ heed translate --model en-de --sample --top-k 10 --nbest 5 < text.en
)";

constexpr int widest_beam = 1000;
constexpr int most_threads = 1024;
constexpr int longest_translation = 100000;

// The lines of a file that go with the lines of the input, or nothing at all where there is no
// file.
class PrefixLines {
 public:
  PrefixLines(const Console& console, const std::string& path, bool forced) {
    if (!path.empty()) file_.emplace(open_lines(console, path, forced));
  }

  std::vector<std::string> next(size_t count) {
    if (!file_) return {};
    std::vector<std::string> lines = file_->next(count);
    require(lines.size() == count, "{}: fewer lines than the input", file_->name());
    return lines;
  }
  void check_end(std::ostream& err) {
    if (!file_) return;
    require(file_->next(1).empty(), "{}: more lines than the input", file_->name());
    const LineCounts& counts = file_->counts();
    if (counts.not_utf8 > 0)
      err << fmt::format("heed: {}: {} of {} lines were not UTF-8; what was not became U+FFFD\n",
                         file_->name(), counts.not_utf8, counts.lines);
  }

 private:
  std::optional<TextLines> file_;
};

// Says which characters of prefixes no translation can begin with; or ends, where the user wants
// that.
class PrefixCheck {
 public:
  PrefixCheck(const std::string& path, const Vocabulary& vocabulary, bool strict, std::ostream& err)
      : name_(input_name(path)), vocabulary_(vocabulary), strict_(strict), err_(err) {}

  void look_at(std::span<const std::string> prefixes) {
    for (const std::string& prefix : prefixes) {
      ++line_;
      const std::vector<std::string> parts = vocabulary_.unknown_parts(prefix);
      if (parts.empty()) continue;
      std::string quoted;
      for (const std::string& part : parts) quoted += (quoted.empty() ? "" : ", ") + quote(part);
      const std::string sentence = fmt::format(
          "{}: line {}: the model's vocabulary lacks {}, so a translation cannot begin with it",
          name_, line_, shorten(quoted, 200));
      require(!strict_, "{}", sentence);
      err_ << fmt::format("heed: {}; it is left out\n", sentence);
    }
  }

 private:
  std::string name_;
  const Vocabulary& vocabulary_;
  bool strict_;
  std::ostream& err_;
  int64_t line_ = 0;
};

}  // namespace

void TranslationCounts::add(std::span<const Translation> ranked, const TranslationFormat& format) {
  ++translations;
  if (ranked.empty()) return;
  in_parts += ranked.front().parts > 1;
  cut += ranked.front().hypothesis.cut;
  unaligned += format.alignment == AlignmentFormat::soft &&
               !std::ranges::all_of(ranked, has_few_weights, &Translation::alignment);
}

TranslateCommand::TranslateCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("translate", "Translate lines with a trained model");
  command
      .add_option("--model", models_,
                  "Folder of the model; several times for models that translate together")
      ->option_text("DIR")
      ->check(folder_name())
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--input", input_, "File to translate instead of standard input (-)")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--output", output_, "File to write instead of standard output (-)")
      ->option_text("FILE")
      ->check(file_name());
  command.add_flag("--force", forced_, "Read files all the same that do not look like text");
  add_search_flags(command);
  add_sampling_flags(command);
  command.add_flag("--scores", format_.scores, "Write the score and a tab before each translation");
  command
      .add_option_function<std::string>(
          "--alignment",
          [this](const std::string& name) {
            format_.alignment = name == "soft" ? AlignmentFormat::soft : AlignmentFormat::pharaoh;
          },
          "Write which words the words of the translation looked at")
      ->option_text("pharaoh|soft")
      ->check(one_of({"pharaoh", "soft"}));
  command
      .add_option(
          "--attention-layer", search_.attention.layer,
          "Layer of the decoder that alignments come from, counted from 1 (the last if not given)")
      ->option_text("N")
      ->check(between(1, 1000))
      ->needs("--alignment");
  command
      .add_option("--attention-head", search_.attention.head,
                  "Head that they come from, counted from 1 (the mean of all if not given)")
      ->option_text("N")
      ->check(between(1, 1000))
      ->needs("--alignment");
  command.add_flag("--json", format_.json, "Write a JSON object for each line");
  command
      .add_option("--threads", threads_,
                  "Threads that share the model (0, or not given: all cores)")
      ->option_text("N")
      ->check(between(0, most_threads));
  command.add_flag("--int8", int8_, "Compute with weights of 8 bits: faster, and hardly different");
  command.footer(worked_example);
  command.parse_complete_callback([this] { check_usage(); });
}

void TranslateCommand::add_search_flags(CLI::App& command) {
  command
      .add_option("--beam", search_.beam,
                  "Translations to try side by side (5 if not given; 1 is greedy)")
      ->option_text("N")
      ->check(between(1, widest_beam));
  command
      .add_option("--length-penalty", search_.length_penalty,
                  "Translations compete by log-probability / length^P (1 if not given; 0 favours "
                  "the short)")
      ->option_text("P")
      ->check(between(0.0, 10.0));
  command
      .add_option(
          "--nbest", n_best_,
          "Write the N best translations of each line, at most as many as the beam; or N samples")
      ->option_text("N")
      ->check(between(1, widest_beam));
  command
      .add_option("--min-length", search_.min_length,
                  "Fewest tokens of a translation (1 if not given)")
      ->option_text("N")
      ->check(between(0, longest_translation));
  command
      .add_option(
          "--max-length", search_.max_length,
          "Most tokens of a translation (if not given, what the model has learnt from decides)")
      ->option_text("N")
      ->check(between(1, longest_translation));
  command
      .add_option("--max-ratio", search_.max_ratio,
                  "Most tokens of a translation for each token of its source")
      ->option_text("X")
      ->check(between(1e-3, 1e6));
  command
      .add_option(
          "--max-source", max_source_,
          "Translate lines of more tokens in parts (if not given, what the model has learnt from "
          "decides)")
      ->option_text("N")
      ->check(between(1, longest_translation));
  command
      .add_option("--no-repeat-ngram", search_.no_repeat_ngram,
                  "Never write the same N tokens in a row twice")
      ->option_text("N")
      ->check(between(1, longest_translation));
  command
      .add_option("--repetition-penalty", search_.repetition_penalty,
                  "Above 1: words that were written already become less likely")
      ->option_text("P")
      ->check(between(1e-3, 1e3));
  command
      .add_option("--prefix", prefixes_,
                  "File with a line for each line of input, which its translation begins with")
      ->option_text("FILE")
      ->check(file_name());
  command
      .add_flag("--strict", strict_,
                "End with an error where the vocabulary lacks a character of a prefix, instead of "
                "a warning")
      ->needs("--prefix");
}

void TranslateCommand::add_sampling_flags(CLI::App& command) {
  command
      .add_flag("--sample", samples_,
                "Draw translations at random instead of searching for the likeliest")
      ->excludes("--beam");
  const auto option = [&](const char* name, auto& value, const char* what, auto range) {
    command.add_option(name, value, what)->option_text("X")->check(range)->needs("--sample");
  };
  option("--temperature", sampling_.temperature,
         "Below 1 the likely words get likelier, above 1 less so", between(1e-3, 1e3));
  option("--top-k", sampling_.top_k, "Draw among the K likeliest words", between(1, 1000000));
  option("--top-p", sampling_.top_p,
         "Draw among the likeliest words that have this probability together", between(1e-6, 1.0));
  command.add_option("--seed", sampling_.seed, "Other seeds draw other translations")
      ->option_text("N")
      ->check(at_least(uint64_t{0}))
      ->needs("--sample");
}

void TranslateCommand::check_usage() {
  check_one_reads_standard_input(
      std::vector<FileFlag>{{"--input", input_}, {"--prefix", prefixes_}});
  if (samples_) search_.sampling = sampling_;
  if (search_.max_length && search_.min_length > *search_.max_length)
    throw CLI::ValidationError(fmt::format("--min-length: {} tokens, but --max-length is {}",
                                           search_.min_length, *search_.max_length));
  if (n_best_ > search_.beam && !samples_)
    throw CLI::ValidationError(
        fmt::format("--nbest: {} translations, but the beam is {}", n_best_, search_.beam));
  search_.n_best = std::max(1, n_best_);
  search_.want_attention = format_.alignment != AlignmentFormat::none;
  format_.n_best = n_best_ > 0;
}

TranslationCounts TranslateCommand::translate_lines(const Translator& translator, TextLines& lines,
                                                    const Console& console) const {
  TranslationCounts counts;
  PrefixLines prefixes(console, prefixes_, forced_);
  PrefixCheck check(prefixes_, translator.target_vocabulary(), strict_, console.err);
  TranslationProgress progress(console);
  transform_lines(lines, console.out, [&](std::span<const std::string> chunk) {
    std::vector<std::string> texts;
    const std::vector<std::string> beginnings = prefixes.next(chunk.size());
    check.look_at(beginnings);
    for (const std::vector<Translation>& ranked :
         translator.translate_n_best(chunk, search_, beginnings)) {
      texts.push_back(translation_text(ranked, counts.translations, chunk[texts.size()], format_));
      counts.add(ranked, format_);
    }
    progress.add(chunk);
    return texts;
  });
  prefixes.check_end(console.err);
  counts.lines = lines.counts();
  return counts;
}

void TranslateCommand::run(const Console& console) const {
  const bool from_file = input_ != "-";
  TextLines lines = open_lines(console, input_, forced_);
  std::optional<OutputStream> output;
  if (output_ != "-") output.emplace(output_);
  Console chosen = {.out = output ? *output : console.out,
                    .err = console.err,
                    .style = console.style,
                    .in = console.in,
                    .in_is_terminal = !from_file && console.in_is_terminal,
                    .out_is_terminal = !output && console.out_is_terminal,
                    .err_is_terminal = console.err_is_terminal,
                    .err_columns = console.err_columns,
                    .in_bytes = from_file ? known_size(input_) : console.in_bytes,
                    .ask_err_columns = console.ask_err_columns};
  translate(lines, chosen);
  if (output) output->commit();
}

void TranslateCommand::translate(TextLines& lines, const Console& console) const {
  const Translator translator =
      Translator::load(models_, {.threads = threads_ > 0 ? threads_ : core_count(),
                                 .max_source = max_source_,
                                 .precision = int8_ ? Precision::int8 : Precision::float32});
  report(translate_lines(translator, lines, console), console);
}

void TranslateCommand::report(const TranslationCounts& counts, const Console& console) const {
  const auto say = [&](int64_t count, std::string_view what) {
    if (count > 0)
      console.err << fmt::format("heed: {} of {} {}\n", count, counts.lines.lines, what);
  };
  say(counts.lines.not_utf8, "lines were not UTF-8; what was not became U+FFFD");
  say(counts.in_parts,
      "lines were too long for the model and were translated in parts (see --max-source)");
  say(counts.unaligned,
      "lines have too many words for soft alignments, which are left out (see --alignment "
      "pharaoh)");
  say(counts.cut, "translations reached the limit of their length and were cut (see --max-length)");
}

}  // namespace heed
